import { expect, test } from "vitest";
import * as z from "zod";
import { coordinatorDeclarations, pythonCoordinatorStubs } from "./coordinator-module.ts";
import { type AnyOperation, defineOperation } from "./operation.ts";

const operation = (
  guest: string | undefined,
  input: z.ZodType,
  output?: z.ZodType,
  positional?: readonly string[],
): AnyOperation =>
  defineOperation({
    name: "operation",
    description: "Does it.",
    ...(guest !== undefined && { guest }),
    readOnly: true,
    input: () => input,
    ...(output && { output: () => output }),
    ...(positional && { positional: positional as never }),
    run: async () => undefined,
  });

const operations = [
  operation("artifacts.read", z.strictObject({ uri: z.string(), limit: z.int().min(1).optional() }), z.string()),
  operation("artifacts.list", z.strictObject({}), z.array(z.string())),
  operation("list_servers", z.strictObject({}), z.array(z.object({ name: z.string(), tools: z.number().optional() }))),
  operation(
    "memory.set",
    z.strictObject({ key: z.string(), value: z.unknown(), metadata: z.record(z.string(), z.string()).optional() }),
    z.number(),
    ["key", "value"],
  ),
  operation("memory.get", z.strictObject({ key: z.string() }), undefined, ["key"]),
  operation(undefined, z.strictObject({})),
];

test("groups are objects in TypeScript", () => {
  expect(
    coordinatorDeclarations(operations),
  ).toBe(`export declare function list_servers(args?: Record<string, never>): Promise<{ name: string; tools?: number }[]>;
export declare const artifacts: {
  read(args: { uri: string; limit?: number }): Promise<string>;
  list(args?: Record<string, never>): Promise<string[]>;
};
export declare const memory: {
  set(key: string, value: unknown, options?: { metadata?: Record<string, string> }): Promise<number>;
  get(key: string): Promise<any>;
};
export {};
`);
});

test("groups are classes of static methods in Python, whose names hide no type", () => {
  const stub = pythonCoordinatorStubs(operations);
  expect(stub).toContain("from builtins import list as _list\n");
  expect(stub.slice(stub.indexOf("class ListServers"))).toBe(`class ListServers_Result(TypedDict):
    name: str
    tools: Any

def list_servers() -> _list[ListServers_Result]:
    """Does it."""

class artifacts:
    @staticmethod
    def read(*, uri: str, limit: int = ...) -> str:
        """Does it.
        - limit: >= 1
        """
    @staticmethod
    def list() -> _list[str]:
        """Does it."""

class memory:
    @staticmethod
    def set(key: str, value: Any, *, metadata: Mapping[str, str] = ...) -> Any:
        """Does it."""
    @staticmethod
    def get(key: str) -> Any:
        """Does it."""
`);
});

test("what guests can do with more than an operation is declared as that, and only where the operation is", () => {
  const read = operation("workspace.read", z.strictObject({ path: z.string() }), z.string(), ["path"]);
  const update = operation("memory.update", z.strictObject({ key: z.string(), patch: z.unknown() }));
  expect(coordinatorDeclarations([read, update])).toBe(`export declare const workspace: {
  read(path: string): Promise<string>;
  read_bytes(path: string, options?: { offset?: number; limit?: number }): Promise<Uint8Array>;
};
export declare const memory: {
  update(key: string, change: Record<string, unknown> | ((value: any) => unknown), options?: { default?: unknown; namespace?: string }): Promise<any>;
};
export {};
`);
  const stub = pythonCoordinatorStubs([read, update]);
  expect(stub).toContain("    def read_bytes(path: str, *, offset: int = 0, limit: int = ...) -> bytes:\n");
  expect(stub).toContain("    def update(key: str, change: Mapping[str, Any] | _Callable[[Any], Any], *, default: Any");
  expect(pythonCoordinatorStubs([operation("ping", z.strictObject({}))])).not.toMatch(/read_bytes|_Callable/);
});
