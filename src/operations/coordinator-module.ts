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
  const lines = functions.map((member) => `export declare function ${signature(member.tool, member)};`);
  for (const [group, members] of groups) {
    const listed = members.map((member) => `  ${signature(member.tool, member)};`);
    lines.push(`export declare const ${group}: {\n${listed.join("\n")}\n};`);
  }
  return `${lines.join("\n")}\nexport {};\n`;
}

/** The stub of the Python module `coordinator`; a group is a class of static methods. */
export function pythonCoordinatorStubs(operations: readonly AnyOperation[]): string {
  const { functions, groups } = guestModule(operations);
  const all = [...functions, ...[...groups.values()].flat()];
  const taken = new Set([...groups.keys(), ...all.map(({ tool }) => tool.identifier)]);
  const vocabulary = createVocabulary(taken);
  const types: string[] = [];
  const stub = ({ tool, positional }: GuestMember, indent = ""): string => {
    const callable = callableOf(tool, { taken, vocabulary, exact: false });
    types.push(declaredTypes(callable, vocabulary));
    return functionStub(tool.identifier, callable, { indent, positional });
  };
  const lines = functions.map((member) => stub(member));
  for (const [group, members] of groups) {
    const methods = members.map((member) => `    @staticmethod\n${stub(member, "    ")}`);
    lines.push(`class ${group}:\n${methods.join("")}`);
  }
  return [vocabulary.imports, vocabulary.arrays, types.join(""), ...lines].join("\n");
}

interface GuestMember {
  readonly tool: Tool;
  readonly positional: readonly string[];
}

/** What guests import from `coordinator`, by the name they call it. */
function guestModule(operations: readonly AnyOperation[]) {
  const functions: GuestMember[] = [];
  const groups = new Map<string, GuestMember[]>();
  for (const operation of operations) {
    if (operation.guest === undefined) continue;
    const [group, member] = operation.guest.split(".") as [string, string?];
    const { positional = [] } = operation;
    const entry = { tool: { ...asTool(operation), identifier: member ?? group }, positional };
    if (member === undefined) functions.push(entry);
    else groups.set(group, [...(groups.get(group) ?? []), entry]);
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
