import * as z from "zod";
import type { JsonSchema, Tool } from "../catalog/tool.ts";
import { callableOf } from "../codegen/python/callable.ts";
import { docstring } from "../codegen/python/docstring.ts";
import { functionStub } from "../codegen/python/function-stub.ts";
import { declaredTypes } from "../codegen/python/stubs.ts";
import { createVocabulary } from "../codegen/python/vocabulary.ts";
import { signature } from "../codegen/signature.ts";
import { type AnyOperation, inputSchema } from "./operation.ts";

interface Convenience {
  readonly typescript: string;
  readonly python: string;
  /** The operation that it is made of, where it has another name than that. */
  readonly of?: string;
}

/**
 * Functions that guests get with more than the host's side can do (sandbox/guest/conveniences): what they take and give
 * in each language.
 */
const conveniences: Readonly<Record<string, Convenience>> = {
  "memory.update": {
    typescript:
      "update(key: string, change: Record<string, unknown> | ((value: any) => unknown), options?: { default?: unknown; namespace?: string }): Promise<any>",
    python:
      "update(key: str, change: Mapping[str, Any] | _Callable[[Any], Any], *, default: Any = ..., namespace: str = ...) -> Any",
  },
  "artifacts.save": {
    typescript: "save(name: string, data: unknown): Promise<{ uri: string; bytes: number; mediaType: string }>",
    python: "save(name: str, data: Any) -> _Saved",
  },
  "artifacts.read_bytes": {
    typescript: "read_bytes(uri: string, options?: { offset?: number; limit?: number }): Promise<Uint8Array>",
    python: "read_bytes(uri: str, *, offset: int = ..., limit: int = ...) -> bytes",
  },
  "workspace.read_bytes": {
    of: "workspace.read",
    typescript: "read_bytes(path: string, options?: { offset?: number; limit?: number }): Promise<Uint8Array>",
    python: "read_bytes(path: str, *, offset: int = ..., limit: int = ...) -> bytes",
  },
};

const pythonConvenienceTypes = `from collections.abc import Callable as _Callable
class _Saved(TypedDict):
    uri: str
    bytes: int
    mediaType: str
`;

/** The declarations of the module `coordinator`: what guests may do with us, from the operations themselves. */
export function coordinatorDeclarations(operations: readonly AnyOperation[]): string {
  const { functions, groups } = guestModule(operations);
  const lines = functions.map((member) => `export declare function ${signature(member.tool, member)};`);
  for (const [group, members] of groups) {
    const listed = members.map((member) => {
      return `  ${member.convenience?.typescript ?? signature(member.tool, member)};`;
    });
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
  const stub = ({ tool, positional, convenience }: GuestMember, indent = ""): string => {
    if (convenience) return `${indent}def ${convenience.python}:\n${docstring(tool.description, `${indent}    `)}`;
    const callable = callableOf(tool, { taken, vocabulary, exact: false });
    types.push(declaredTypes(callable, vocabulary));
    return functionStub(tool.identifier, callable, { indent, positional });
  };
  const lines = functions.map((member) => stub(member));
  for (const [group, members] of groups) {
    const methods = members.map((member) => `    @staticmethod\n${stub(member, "    ")}`);
    lines.push(`class ${group}:\n${methods.join("")}`);
  }
  const needed = all.some(({ convenience }) => convenience) ? [pythonConvenienceTypes] : [];
  return [vocabulary.imports, vocabulary.arrays, ...needed, types.join(""), ...lines].join("\n");
}

/** One function of the module `coordinator`. */
export interface GuestMember {
  /** The name by which guests call it, with its group. */
  readonly guest: string;
  readonly tool: Tool;
  readonly positional: readonly string[];
  readonly convenience?: Convenience | undefined;
}

/** What guests import from `coordinator`, in the order of the operations. */
export function guestMembers(operations: readonly AnyOperation[]): readonly GuestMember[] {
  return operations.flatMap((operation) => {
    if (operation.guest === undefined) return [];
    const others = Object.entries(conveniences).filter(([, { of }]) => of === operation.guest);
    const { positional = [] } = operation;
    const tool = asTool(operation);
    return [operation.guest, ...others.map(([name]) => name)].map((guest) => {
      const identifier = guest.split(".").at(-1) ?? guest;
      return { guest, tool: { ...tool, identifier }, positional, convenience: conveniences[guest] };
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
