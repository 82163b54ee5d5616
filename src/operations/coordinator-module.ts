import * as z from "zod";
import type { JsonSchema, Tool } from "../catalog/tool.ts";
import { callableOf as typescriptCallableOf } from "../codegen/callable.ts";
import { callableOf } from "../codegen/python/callable.ts";
import { docstring } from "../codegen/python/docstring.ts";
import { functionStub } from "../codegen/python/function-stub.ts";
import { declaredTypes } from "../codegen/python/stubs.ts";
import { createVocabulary } from "../codegen/python/vocabulary.ts";
import { signature } from "../codegen/signature.ts";
import { type Convenience, conveniences } from "./conveniences.ts";
import { type AnyOperation, inputSchema } from "./operation.ts";

/** The declarations of the module `coordinator`: what guests may do with us, from the operations themselves. */
export function coordinatorDeclarations(operations: readonly AnyOperation[]): string {
  const { functions, groups } = guestModule(operations);
  const lines = functions.map((member) => `export declare function ${signature(member.tool, member)};`);
  for (const [group, members] of groups) {
    const listed = members.flatMap(waysToCall).map((way) => `  ${way};`);
    lines.push(`export declare const ${group}: {\n${listed.join("\n")}\n};`);
  }
  return `${lines.join("\n")}\nexport {};\n`;
}

function waysToCall({ tool, positional, convenience }: GuestMember): string[] {
  if (!convenience) return [signature(tool, { positional })];
  const { typescript, result } = convenience;
  const given = result ? `Promise<${result.typescript}>` : typescriptCallableOf(tool, new Set()).result;
  return typescript.map((parameters) => `${tool.identifier}(${parameters}): ${given}`);
}

/** The stub of the Python module `coordinator`; a group is a class of static methods. */
export function pythonCoordinatorStubs(operations: readonly AnyOperation[]): string {
  const { functions, groups } = guestModule(operations);
  const all = [...functions, ...[...groups.values()].flat()];
  const taken = new Set([...groups.keys(), ...all.map(({ tool }) => tool.identifier)]);
  const vocabulary = createVocabulary(taken);
  const types: string[] = [];
  const stub = ({ tool, positional, convenience }: GuestMember, indent = ""): string => {
    const result = convenience?.result?.python;
    const callable = callableOf(tool, { taken, vocabulary, exact: false, shownDefaults: true });
    if (result === undefined) types.push(declaredTypes(callable, vocabulary));
    if (!convenience) return functionStub(tool.identifier, callable, { indent, positional });
    const head = `${indent}def ${tool.identifier}(${convenience.python}) -> ${result ?? callable.result}:`;
    return `${head}\n${docstring(tool.description, `${indent}    `)}`;
  };
  const lines = functions.map((member) => stub(member));
  for (const [group, members] of groups) {
    const methods = members.map((member) => `    @staticmethod\n${stub(member, "    ")}`);
    lines.push(`class ${group}:\n${methods.join("")}`);
  }
  const callables = all.some(({ convenience }) => convenience?.python.includes("_Callable"))
    ? ["from collections.abc import Callable as _Callable"]
    : [];
  return [vocabulary.imports, vocabulary.arrays, ...callables, types.join(""), ...lines].join("\n");
}

/** One function of the module `coordinator`. */
export interface GuestMember {
  /** The name by which guests call it, with its group. */
  readonly guest: string;
  readonly tool: Tool;
  readonly positional: readonly string[];
  readonly convenience?: Convenience | undefined;
  /** What a call of it may give. */
  readonly example: Readonly<Record<string, unknown>>;
}

/** What guests import from `coordinator`, in the order of the operations. */
export function guestMembers(operations: readonly AnyOperation[]): readonly GuestMember[] {
  return operations.flatMap((operation) => {
    if (operation.guest === undefined) return [];
    const others = Object.entries(conveniences).filter(([, { of }]) => of === operation.guest);
    const { positional = [], example = {} } = operation;
    const tool = asTool(operation);
    return [operation.guest, ...others.map(([name]) => name)].map((guest) => {
      const convenience = conveniences[guest];
      const named = { ...tool, identifier: guest.split(".").at(-1) ?? guest };
      const described = convenience?.description ? { ...named, description: convenience.description } : named;
      return { guest, tool: described, positional, convenience, example };
    });
  });
}

/** The same, by their groups. */
function guestModule(operations: readonly AnyOperation[]) {
  const functions: GuestMember[] = [];
  const groups = new Map<string, GuestMember[]>();
  for (const member of guestMembers(operations)) {
    const [group, name] = member.guest.split(".") as [string, string?];
    if (name === undefined) functions.push(member);
    else groups.set(group, [...(groups.get(group) ?? []), member]);
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
    ...(output && { outputSchema: z.toJSONSchema(output()) as JsonSchema }),
  };
}
