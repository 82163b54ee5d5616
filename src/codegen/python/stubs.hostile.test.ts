import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test, vi } from "vitest";
import type { JsonSchema, Library, Tool } from "../../catalog/tool.ts";
import { generatedFiles } from "../generated-files.ts";
import { pythonIndexStubs, pythonStubs } from "./stubs.ts";

// Real Python reads every text; on a busy machine it waits its turn.
vi.setConfig({ testTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), "python-stubs-"));
afterAll(() => rmSync(folder, { recursive: true }));
const canary = join(folder, "canary");
const evil = `open(${JSON.stringify(canary)}, "w")`;

const strings = [
  // ends of strings, docstrings, brackets, lines
  `""" + ${evil} + """`,
  `"""\n${evil}\n"""`,
  `\\"""\n${evil}\n"""`,
  `\\\\"""\n${evil}\n"""`,
  `''' + ${evil} + '''`,
  `" + ${evil} + "`,
  `' + ${evil} + '`,
  `\\" + ${evil} #`,
  `"]; ${evil}; x["`,
  `"}); ${evil}; ({"`,
  `): ${evil}\ndef x(`,
  `: ${evil} = 1`,
  `\n${evil}\n`,
  `\r${evil}\r`,
  `\f${evil}`,
  `\u2028${evil}\u2029`,
  `\u0085${evil}`,
  `x\n    """\n    ${evil}\n    """`,
  `{${evil}}`,
  `# type: ignore\n${evil}`,
  `@${evil}`,
  `lambda: ${evil}`,
  '"',
  '""',
  '"""',
  '""""',
  "'''",
  "\\",
  "\\\\",
  '\\"',
  "\\\n",
  "\\N{QUOTATION MARK}\\x22\\u0022\\42",
  "\\N{nothing}",
  "\\ud800\\x",
  "%s {0} {evil}",
  // what Python's own files may not hold, or hide
  "\u0000",
  "\u001a",
  "\ufeff",
  "\ud800",
  "\udc00\ud800",
  "\uffff",
  "\u202e\u2066\u200b",
  "\u{e0065}\u{e0101}",
  "# -*- coding: utf-7 -*-",
  "coding: rot13",
  // names with a meaning
  "class",
  "None",
  "from",
  "match",
  "self",
  "print",
  "str",
  "list",
  "Any",
  "TypedDict",
  "Literal",
  "_List",
  "__init__",
  "__class__",
  "__debug__",
  "__dict__",
  "__proto__",
  "constructor",
  "call",
  "list_tools",
  "others",
  "x-y",
  "x.y",
  "2x",
  "ﬁ",
  "ª",
  "田中",
  "",
  " ",
  "../../evil",
  "#/$defs/x",
  "x".repeat(30_000),
  '"""'.repeat(5_000),
];

/** Values of the wrong kind, for the same places. */
const others: unknown[] = [
  null,
  0,
  -1.5,
  1e21,
  Number.POSITIVE_INFINITY,
  true,
  [],
  ["a", ["b"]],
  {},
  { type: { type: "string" } },
];

/** A tool with the value in one of the places that a server fills. */
const places: Record<string, (value: unknown) => Partial<Tool>> = {
  name: (value) => ({ name: asName(value) }),
  title: (value) => ({ title: value as string }),
  description: (value) => ({ description: value as string }),
  "property name": (value) => schemas({ properties: { [asName(value)]: { type: "string", description: "x" } } }),
  "several names": (value) =>
    schemas({ properties: { [asName(value)]: { type: "string" }, b: { type: "string" } }, required: ["b"] }),
  "name in a property": (value) =>
    schemas({ properties: { a: { properties: { [asName(value)]: { type: "string" }, b: { type: "integer" } } } } }),
  required: (value) => schemas({ properties: { a: {} }, required: [value] }),
  type: (value) => schemas({ properties: { a: { type: value }, b: { type: [value] } } }),
  "property description": (value) => inProperty({ description: value }),
  "property title": (value) => inProperty({ title: value }),
  enum: (value) => inProperty({ enum: [value, "b"] }),
  const: (value) => inProperty({ const: value }),
  "const of an object": (value) => inProperty({ const: { [asName(value)]: [value] } }),
  default: (value) => inProperty({ default: value }),
  pattern: (value) => inProperty({ pattern: value, format: value, minimum: value, examples: [value] }),
  $ref: (value) => inProperty({ $ref: value }),
  "name of a definition": (value) => {
    const $ref = `#/$defs/${asName(value).replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("%", "%25")}`;
    const recursive = { type: "object", properties: { next: { $ref } } };
    return schemas({ properties: { a: { $ref }, b: { $ref } }, $defs: { [asName(value)]: recursive } });
  },
  "pattern of properties": (value) => schemas({ patternProperties: { [asName(value)]: { type: "string" } } }),
  combinators: (value) => inProperty({ allOf: value, anyOf: [value], oneOf: [value, {}], not: value }),
  containers: (value) =>
    inProperty({ properties: value, items: value, prefixItems: [value], additionalProperties: value }),
  schema: (value) => schemas(value),
};

function asName(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function schemas(schema: unknown): Partial<Tool> {
  return { inputSchema: schema as JsonSchema, outputSchema: schema as JsonSchema };
}

function inProperty(schema: unknown): Partial<Tool> {
  return schemas({ type: "object", properties: { a: schema } });
}

function libraryWith(tool: Partial<Tool>, server: string): Library {
  const whole: Tool = { name: "tool", identifier: "tool_a", description: "", inputSchema: { type: "object" }, ...tool };
  return { server, module: "module_a", description: server, tools: [whole, { ...whole, identifier: "tool_b" }] };
}

/** The statements of Python texts: kinds and names, those of declared types left out; `null` for a text that is not Python. */
function statements(texts: readonly string[]): (string[] | null)[] {
  const program = `import ast, json, sys

def dictionary(node):
    if isinstance(node, ast.ClassDef):
        return [getattr(base, "id", "") for base in node.bases] == ["TypedDict"]
    call = getattr(node, "value", None)
    return isinstance(call, ast.Call) and getattr(call.func, "id", "") == "TypedDict"

def kinds(text):
    try:
        tree = ast.parse(text.encode("utf-8"))
    except (SyntaxError, ValueError, UnicodeError):
        return None
    found = []
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) or dictionary(node):
            continue
        calls = sum(isinstance(part, ast.Call) for part in ast.walk(node))
        bodies = len(getattr(node, "body", []))
        found.append(f"{type(node).__name__} {getattr(node, 'name', '')} {calls} calls {bodies} inside")
    return found

print(json.dumps([kinds(text) for text in json.load(sys.stdin)]))`;
  const input = JSON.stringify(texts);
  return JSON.parse(
    execFileSync("python3", ["-c", program], { input, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 }),
  );
}

const stubsOf = (library: Library): string[] => [
  pythonStubs(library),
  pythonStubs(library, { async: true, exact: true }),
  pythonIndexStubs([library]),
];

const twin = statements(stubsOf(libraryWith({}, "benign")));

test("a stub is functions of one statement", () => {
  expect(twin[0]).toContainEqual("FunctionDef tool_a 0 calls 1 inside");
});

test.each(Object.entries(places))("a server's text as %s adds no statement to a stub", (_, toolWith) => {
  const given = [
    ...strings.map((text) => libraryWith(toolWith(text), text)),
    ...others.map((value) => libraryWith(toolWith(value), "benign")),
  ];
  const stubs = given.flatMap(stubsOf);
  statements(stubs).forEach((kinds, index) => {
    expect(kinds, stubs[index]?.slice(0, 2_000)).toEqual(twin[index % twin.length]);
  });
});

test("a server's text adds no statement to a generated folder, and importing that runs nothing", () => {
  const pythonCoordinator = readFileSync(fileURLToPath(new URL("_coordinator.py", import.meta.url)), "utf8");
  const generate = (text: string) => {
    const library = libraryWith({ name: text, description: text, ...places["property name"]?.(text) }, text);
    return generatedFiles([library], { language: "python", config: text, pythonCoordinator });
  };
  const benign = generate("benign");
  const paths = [...benign.keys()].filter((path) => /\.pyi?$/.test(path));
  const expected = statements(paths.map((path) => benign.get(path) ?? ""));
  expect(expected).not.toContain(null);
  const folders = strings.map(generate);
  const found = statements(folders.flatMap((files) => paths.map((path) => files.get(path) ?? "")));
  folders.forEach((files, index) => {
    const own = found.slice(index * paths.length, (index + 1) * paths.length);
    expect(own, strings[index]?.slice(0, 80)).toEqual(expected);
    for (const [path, content] of files) {
      const place = join(folder, `folder_${index}`, path);
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, content);
    }
  });
  const program = `import importlib, sys
for index in range(${strings.length}):
    sync = importlib.import_module(f"folder_{index}.module_a")
    twin = importlib.import_module(f"folder_{index}.aio.module_a")
    assert sync.__all__ == twin.__all__ == ["call", "list_tools", "tool_a", "tool_b"]
    importlib.import_module(f"folder_{index}.aio")
print("imported")`;
  expect(execFileSync("python3", ["-B", "-c", program], { cwd: folder, encoding: "utf8" })).toBe("imported\n");
  expect(existsSync(canary)).toBe(false);
});
