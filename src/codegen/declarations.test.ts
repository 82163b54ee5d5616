import { expect, test } from "vitest";
import type { Library, Tool } from "../catalog/tool.ts";
import { declarations, indexDeclarations } from "./declarations.ts";

function library(...tools: Partial<Tool>[]): Library {
  const whole = tools.map(
    (tool): Tool => ({ name: "x", identifier: "x", description: "", inputSchema: { type: "object" }, ...tool }),
  );
  return { server: "arxiv", module: "arxiv", description: "Papers", tools: whole };
}

const own = `
export declare function list_tools(): Promise<{ name: string; identifier: string; description: string }[]>;
`;

test("a library's declarations are its tools, then call and list_tools", () => {
  const tree = {
    type: "object",
    properties: { children: { type: "array", items: { $ref: "#" } } },
    required: ["children"],
  };
  const text = declarations(
    library(
      { name: "grow-tree", identifier: "grow_tree", description: "Grows.", inputSchema: tree },
      {
        name: "stop",
        identifier: "stop",
        inputSchema: { type: "object", properties: {} },
        outputSchema: { type: "object" },
      },
    ),
  );
  expect(text).toBe(`export type GrowTree_Input = { children: GrowTree_Input[] };
/** Grows. */
export declare function grow_tree(args: GrowTree_Input): Promise<any>;

export declare function stop(args?: Record<string, never>): Promise<Record<string, any>>;

/** Calls a tool by its exact name. */
export declare function call(tool: "grow-tree" | "stop" | (string & {}), args?: Record<string, unknown>): Promise<any>;
${own}`);
});

test("a library without tools still has call and list_tools", () => {
  expect(declarations(library())).toBe(`/** Calls a tool by its exact name. */
export declare function call(tool: string, args?: Record<string, unknown>): Promise<any>;
${own}`);
});

test("an alias takes neither the name of a tool nor of another tool's alias", () => {
  const tree = { type: "object", properties: { next: { $ref: "#" } } };
  const text = declarations(
    library(
      { identifier: "find_node", inputSchema: tree },
      { identifier: "findNode", inputSchema: tree },
      { identifier: "FindNode_Input" },
    ),
  );
  expect(text.match(/(?<=type )\w+|(?<=function )\w+/g)).toEqual([
    "FindNode_Input2",
    "find_node",
    "FindNode_Input3",
    "findNode",
    "FindNode_Input",
    "call",
    "list_tools",
  ]);
});

test.each(["", "a-b", "a b", "1a", "a;evil()", "a\n", "é", "$", "call", "list_tools"])(
  "%j is not an export; call reaches the tool",
  (identifier) => {
    const text = declarations(library({ name: "exact", identifier }));
    expect(text).toContain('call(tool: "exact" | ');
    expect(text.match(/declare function/g)).toHaveLength(2);
  },
);

test("the second of two tools with one identifier is not an export", () => {
  expect(declarations(library({ identifier: "a" }, { identifier: "a" })).match(/declare function a\(/g)).toHaveLength(
    1,
  );
});

test("the index names the servers where a server is asked for", () => {
  expect(indexDeclarations([library(), { ...library(), server: "my server" }])).toContain(
    'call(server: "arxiv" | "my server" | (string & {}), tool: string, args?: Record<string, unknown>): Promise<any>;',
  );
  expect(indexDeclarations([])).toContain("call(server: string, tool: string,");
});
