import * as z from "zod";
import type { JsonSchema, Tool } from "../catalog/tool.ts";
import { callableOf } from "../codegen/python/callable.ts";
import { functionStub } from "../codegen/python/function-stub.ts";
import { declaredTypes } from "../codegen/python/stubs.ts";
import { createVocabulary } from "../codegen/python/vocabulary.ts";
import { signature } from "../codegen/signature.ts";
import { type AnyOperation, inputSchema } from "./operation.ts";

/** The declarations of the module `coordinator`: what guests may do with us, from the operations themselves. */
export function coordinatorDeclarations(operations: readonly AnyOperation[]): string {
  const { functions, groups } = guestModule(operations);
  const lines = functions.map((tool) => `export declare function ${signature(tool)};`);
  for (const [group, members] of groups) {
    lines.push(`export declare const ${group}: {\n${members.map((tool) => `  ${signature(tool)};`).join("\n")}\n};`);
  }
  return `${lines.join("\n")}\nexport {};\n`;
}

/** The stub of the Python module `coordinator`; a group is a class of static methods. */
export function pythonCoordinatorStubs(operations: readonly AnyOperation[]): string {
  const { functions, groups } = guestModule(operations);
  const all = [...functions, ...[...groups.values()].flat()];
  const taken = new Set([...groups.keys(), ...all.map(({ identifier }) => identifier)]);
  const vocabulary = createVocabulary(taken);
  const types: string[] = [];
  const stub = (tool: Tool, indent = ""): string => {
    const callable = callableOf(tool, { taken, vocabulary, exact: false });
    types.push(declaredTypes(callable, vocabulary));
    return functionStub(tool.identifier, callable, { indent });
  };
  const lines = functions.map((tool) => stub(tool));
  for (const [group, members] of groups) {
    const methods = members.map((tool) => `    @staticmethod\n${stub(tool, "    ")}`);
    lines.push(`class ${group}:\n${methods.join("")}`);
  }
  return [vocabulary.imports, vocabulary.arrays, types.join(""), ...lines].join("\n");
}

/** What guests import from `coordinator`, by the name they call it. */
function guestModule(operations: readonly AnyOperation[]): { functions: Tool[]; groups: Map<string, Tool[]> } {
  const functions: Tool[] = [];
  const groups = new Map<string, Tool[]>();
  for (const operation of operations) {
    if (operation.guest === undefined) continue;
    const [group, member] = operation.guest.split(".") as [string, string?];
    const tool = { ...asTool(operation), identifier: member ?? group };
    if (member === undefined) functions.push(tool);
    else groups.set(group, [...(groups.get(group) ?? []), tool]);
  }
  return { functions, groups };
}

function asTool(operation: AnyOperation): Tool {
  const { name, description, output } = operation;
  return {
    name,
    description,
    identifier: name,
    inputSchema: inputSchema(operation) as JsonSchema,
    ...(output && { outputSchema: z.toJSONSchema(output) as JsonSchema }),
  };
}
