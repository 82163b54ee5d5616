import { expect, test } from "vitest";
import * as z from "zod";
import { coordinatorDeclarations, pythonCoordinatorStubs } from "./coordinator-module.ts";
import { type AnyOperation, defineOperation } from "./operation.ts";

const operation = (guest: string | undefined, input: z.ZodType, output?: z.ZodType): AnyOperation =>
  defineOperation({
    name: "operation",
    description: "Does it.",
    ...(guest !== undefined && { guest }),
    readOnly: true,
    input,
    ...(output && { output }),
    run: async () => undefined,
    show: () => "",
  });

const operations = [
  operation("artifacts.read", z.strictObject({ uri: z.string(), limit: z.int().min(1).optional() }), z.string()),
  operation("artifacts.list", z.strictObject({}), z.array(z.string())),
  operation("list_servers", z.strictObject({}), z.array(z.object({ name: z.string(), tools: z.number().optional() }))),
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
`);
});
