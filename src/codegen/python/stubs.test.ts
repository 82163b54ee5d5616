import { describe, expect, test } from "vitest";
import type { JsonSchema, Library, Tool } from "../../catalog/tool.ts";
import { pythonSignature } from "./signature.ts";
import { pythonIndexStubs, pythonStubs } from "./stubs.ts";

function tool(identifier: string, inputSchema: unknown, outputSchema?: unknown): Tool {
  return {
    name: identifier,
    identifier,
    description: "",
    inputSchema: inputSchema as JsonSchema,
    ...(outputSchema !== undefined && { outputSchema: outputSchema as JsonSchema }),
  };
}

const text = { type: "string" };
const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const search = tool(
  "search_papers",
  { properties: { query: text, max_results: { type: "integer", maximum: 50 } }, required: ["query"] },
  {
    type: "array",
    items: { properties: { title: text, year: { type: ["integer", "null"] } }, required: ["title"] },
  },
);

const library = (...tools: Tool[]): Library => ({ server: "s", module: "m", description: "", tools });
/** The stub without its head and without the functions that all have. */
const body = (stub: string) => stub.slice(stub.indexOf("\n\n") + 2, stub.search(/\n(async )?def call\(/)).trimEnd();
const exact = (...tools: Tool[]) => body(pythonStubs(library(...tools), { exact: true }));

describe("a signature", () => {
  test("is a line and the types that it names", () => {
    expect(
      pythonSignature(search),
    ).toBe(`search_papers(*, query: str, max_results: int = ...) -> list[SearchPapers_Result]
class SearchPapers_Result(TypedDict): title: str; year: NotRequired[int | None]`);
  });

  test("marks the type of a result that was only observed", () => {
    const { outputSchema: schema, ...undeclared } = search;
    const observed = { results: 1, schema: schema ?? true };
    expect(pythonSignature({ ...undeclared, observed })).toBe(
      `search_papers(*, query: str, max_results: int = ...) -> list[SearchPapers_Result]  # observed in 1 result
class SearchPapers_Result(TypedDict): title: str; year: NotRequired[int | None]`,
    );
    expect(exact({ ...undeclared, observed })).toContain("was observed in 1 result; the server declares none.");
  });

  test("has the docs when asked for", () => {
    expect(pythonSignature({ ...search, description: 'Finds "papers".' }, { docs: true })).toMatch(
      /^search_papers\(.*\n {4}"""Finds "papers".\n {4}- max_results: <= 50\n {4}"""\nclass /,
    );
    expect(pythonSignature(tool("t", {}), { docs: true })).toBe("t(**others: Any) -> Any");
  });

  const parameters = (schema: unknown) => /^t\((.*)\) -> Any/.exec(pythonSignature(tool("t", schema)))?.[1];
  const property = (schema: unknown) => parameters({ properties: { a: schema }, required: ["a"] });

  test.each<[string, unknown, string]>([
    ["no parameters", { type: "object", properties: {} }, ""],
    ["none that are allowed", { type: "object", additionalProperties: false }, ""],
    ["any that one likes", { type: "object" }, "**others: Any"],
    ["some and any others", { properties: { a: text }, additionalProperties: true }, "*, a: str = ..., **others: Any"],
    [
      "some and others of a type",
      { properties: { others: text }, additionalProperties: text },
      "*, others: str = ..., **others_: str",
    ],
    [
      "names that Python lacks",
      { properties: { "max-results": text, from: text } },
      "*, max_results: str = ..., from_: str = ...",
    ],
    [
      "what all alternatives require",
      {
        anyOf: [
          { properties: { a: text, b: text }, required: ["a", "b"] },
          { properties: { a: text }, required: ["a"] },
        ],
      },
      "*, a: str, b: str = ...",
    ],
    ["what any part requires", { allOf: [{ properties: { a: text } }, { required: ["a"] }] }, "*, a: str"],
    ["what is not an object", { type: "string" }, "**others: Any"],
  ])("takes %s", (_, schema, expected) => {
    expect(parameters(schema)).toBe(expected);
  });

  test.each<[string, unknown, string]>([
    ["text", text, "str"],
    ["a number", { type: "number" }, "float"],
    ["an integer", { type: "integer" }, "int"],
    ["a switch", { type: "boolean" }, "bool"],
    ["words", { enum: ["new", 'o"ld'] }, 'Literal["new", "o\\"ld"]'],
    ["words or nothing", { enum: ["new", null] }, 'Literal["new"] | None'],
    ["values of all kinds", { enum: [1, 1.5, true, null, "x"] }, 'Literal[1, True, "x"] | float | None'],
    ["one value", { const: "x" }, 'Literal["x"]'],
    ["several types", { type: ["string", "integer"] }, "str | int"],
    ["text or nothing", { ...text, nullable: true }, "str | None"],
    ["a list", { type: "array", items: text }, "list[str]"],
    ["a list of anything", { type: "array" }, "list[Any]"],
    ["a pair", { prefixItems: [text, { type: "integer" }] }, "tuple[str, int]"],
    ["a list with a beginning", { prefixItems: [text], items: { type: "integer" } }, "list[str | int]"],
    ["a map", { additionalProperties: { type: "integer" } }, "dict[str, int]"],
    ["any object", { type: "object" }, "dict[str, Any]"],
    ["nothing", false, "Never"],
    ["anything", true, "Any"],
    ["a narrowed type", { ...text, allOf: [{ enum: ["a", "b"] }] }, 'Literal["a", "b"]'],
  ])("writes %s", (_, schema, expected) => {
    expect(property(schema)).toBe(`*, a: ${expected}`);
  });
});

describe("a stub", () => {
  test("is a function a tool, the call by exact name and the list", () => {
    expect(
      pythonStubs(library({ ...search, name: "search-papers", description: "Finds." }), { exact: true }),
    ).toBe(`from collections.abc import Iterator, Mapping
from typing_extensions import Any, Literal, Never, NotRequired, Protocol, TypeAlias, TypedDict, TypeVar

class SearchPapers_Result(TypedDict):
    title: str
    year: NotRequired[int | None]
def search_papers(*, query: str, max_results: int = ...) -> list[SearchPapers_Result]:
    """Finds.
    - max_results: <= 50
    """

def call(tool: Literal["search-papers"] | str, args: Mapping[str, Any] | None = ...) -> Any:
    """Calls a tool by its exact name."""

class _Tool(TypedDict):
    name: str
    identifier: str
    description: str

def list_tools() -> list[_Tool]: ...
`);
  });

  test("of the twin is async", () => {
    const stub = pythonStubs(library(search), { async: true });
    expect(stub.match(/^(async )?def \w+/gm)).toEqual([
      "async def search_papers",
      "async def call",
      "async def list_tools",
    ]);
    expect(pythonIndexStubs([], { async: true }).match(/^(async )?def \w+/gm)).toEqual([
      "async def list_servers",
      "async def raw",
      "async def search",
      "async def call",
    ]);
  });

  test("breaks long lines of parameters", () => {
    const properties = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`parameter_${index}`, text]));
    expect(exact(tool("t", { properties }))).toMatch(/^def t\(\n {4}\*,\n {4}parameter_0: str = \.\.\.,\n/);
    expect(exact(tool("t", { properties, additionalProperties: true }))).toMatch(
      / {4}\*\*others: Any\n\) -> Any: \.\.\.$/,
    );
  });

  test("keeps exact keys, whatever they are", () => {
    const keys = { from: text, "a b": text, str: text };
    expect(exact(tool("t", { properties: { o: { properties: keys, required: ["from"] } } }))).toBe(
      'T_O = TypedDict("T_O", {"from": str, "a b": NotRequired[str], "str": NotRequired[str]})\ndef t(*, o: T_O = ...) -> Any: ...',
    );
  });

  test("gives a recursive type a name", () => {
    const tree = {
      properties: { root: ref("Node") },
      $defs: {
        Node: { properties: { label: text, children: { type: "array", items: ref("Node") } }, required: ["label"] },
      },
    };
    expect(exact(tool("grow", tree))).toBe(`class Grow_Node(TypedDict):
    label: str
    children: NotRequired[list[Grow_Node]]
def grow(*, root: Grow_Node = ...) -> Any: ...`);
    const maps = { properties: { a: ref("M") }, $defs: { M: { additionalProperties: ref("M") } } };
    expect(exact(tool("t", maps))).toBe("T_M: TypeAlias = dict[str, T_M]\ndef t(*, a: T_M = ...) -> Any: ...");
  });

  test("speaks of types by other names where tools have theirs", () => {
    const stub = pythonStubs(library(tool("list", {}), tool("Any", {}), tool("_list", {}), tool("_Tool", {}), search));
    expect(stub).toContain("from builtins import list as __list\n");
    expect(stub).toContain("import Any as _Any, Literal,");
    expect(stub).toContain("def search_papers(*, query: str, max_results: int = ...) -> __list[SearchPapers_Result]:");
    expect(stub).toContain("def list_tools() -> __list[__Tool]: ...");
  });

  test("is bounded", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`p${index}`, { properties: { [`q${index}`]: text } }]),
    );
    const stub = pythonStubs(library(tool("t", { properties }, { properties })));
    expect(stub.length).toBeLessThan(80_000);
    expect(stub).toContain("**others: Any");
    const twoWays = (next: object) => ({ anyOf: [{ properties: { a: next } }, { properties: { a: next, b: next } }] });
    const definitions = Array.from({ length: 150 }, (_, index) => [`d${index}`, twoWays(ref(`d${(index + 1) % 150}`))]);
    const chain = { ...ref("d0"), $defs: Object.fromEntries(definitions) };
    expect(pythonStubs(library(tool("t", chain, chain))).length).toBeLessThan(80_000);
  });
});

describe("without exactness", () => {
  const loose = (input: unknown, output: unknown) => body(pythonStubs(library(tool("t", input, output))));
  const result = (output: unknown) => /-> (.*):/.exec(loose({}, output).split("\n").at(-1) ?? "")?.[1];

  test("what is passed may have been made elsewhere", () => {
    const input = {
      properties: {
        items: { type: "array", items: { properties: { id: text }, required: ["id"] } },
        map: { additionalProperties: { type: "number" } },
        pair: { prefixItems: [text, { type: "integer" }] },
      },
    };
    expect(loose(input, undefined)).toContain(
      "def t(\n    *,\n    items: _List[T_Items | Mapping[str, Any]] = ...,\n    map: Mapping[str, float] = ...,\n    pair: _List[str | int] = ...,\n)",
    );
  });

  test.each<[string, unknown, string]>([
    ["a text that may be missing", { type: ["string", "null"] }, "str"],
    ["one of several types", { type: ["string", "integer"] }, "Any"],
    ["a number, which may be an int", { type: "number" }, "Any"],
    ["nothing", { type: "null" }, "Any"],
    ["a pair, which is a list", { prefixItems: [text, { type: "integer" }] }, "list[Any]"],
    ["words", { enum: ["a", "b"] }, 'Literal["a", "b"]'],
  ])("what is read as %s is no obstacle", (_, schema, expected) => {
    expect(result(schema)).toBe(expected);
  });

  test("alternatives that are read are one dictionary with all their keys", () => {
    const output = {
      anyOf: [{ properties: { a: text } }, { properties: { b: text }, required: ["b"] }, { type: "null" }],
    };
    expect(loose({}, output)).toContain("class T_Result(TypedDict):\n    a: str\n    b: str\n");
  });

  test("alternatives that recur end", () => {
    const node = (key: string) => ({
      properties: { [key]: text, next: { anyOf: [ref("A"), ref("B")] }, more: { anyOf: [ref("B"), ref("A")] } },
    });
    const stub = loose({}, { ...ref("A"), $defs: { A: node("a"), B: node("b") } });
    expect(stub.match(/^class /gm)?.length).toBeLessThan(6);
  });
});
