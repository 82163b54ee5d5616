import { parseSync } from "oxc-parser";
import { describe, expect, test } from "vitest";
import type { JsonSchema, Library, Tool } from "../catalog/tool.ts";
import { declarations } from "./declarations.ts";
import { generatedFiles } from "./generated-files.ts";
import { signature } from "./signature.ts";

const strings = [
  // ends of comments, strings, templates, types, statements
  "*/ export const evil = 1; /*",
  "**/evil()/**",
  "*\u0000/ evil(); /*",
  "*\u200b/ evil(); /*",
  "*",
  "/",
  "/*",
  "//",
  "--> <!-- <script>evil()</script>",
  "'; evil(); '",
  '"; evil(); "',
  '\\"; evil(); //',
  "`; evil(); `",
  "\u0024{evil()}",
  "`\u0024{evil()}`",
  "}; evil(); {",
  "> ; evil(); <",
  "]; evil(); [",
  "); evil(); (",
  "} } export declare const evil: 1; declare namespace x { {",
  "string; evil: number",
  "a: any; [key: string]: any",
  "any",
  "never",
  "import('evil')",
  "typeof import('node:fs')",
  // escapes
  "\\",
  "\\\\",
  "\\n\\r\\0",
  "\\u0022\\u{22}\\x22\\N{QUOTATION MARK}",
  "&quot;&#34;",
  "%22%0aevil()%0a",
  "%s %d %n {0} {evil}",
  // line ends and controls
  "a\nevil();",
  "a\r\nevil();",
  "a\revil();",
  "a\u0085evil();",
  "a\u2028evil();",
  "a\u2029evil();",
  "a\u000b\u000cevil();",
  "\u0000\u0001\u0007\u0008\u001b[31mred\u001b[0m\u007f",
  "\u001b]0;title\u0007\u009b2J",
  // what is not seen
  "\u202eevil\u202c",
  "\u2066evil\u2069\u200f",
  "\u200b\u200d\ufeff\u00ad",
  "\u{e0065}\u{e0076}\u{e0069}\u{e006c}\u{e0101}",
  "\ud800",
  "\udc00\ud800",
  "\uffff\ufffe",
  // directives and tags
  "@deprecated",
  "x\n@deprecated\n@ts-ignore",
  "@ts-expect-error",
  "// @ts-nocheck",
  '/// <reference path="/etc/passwd" />',
  "//# sourceMappingURL=data:,evil",
  "#!/bin/sh",
  "'use strict'",
  "{@link evil}",
  // names with a meaning
  "__proto__",
  "constructor",
  "prototype",
  "then",
  "toString",
  "hasOwnProperty",
  "class",
  "new",
  "readonly",
  "await",
  // paths, pointers, addresses
  "../../evil",
  "C:\\evil",
  "#",
  "#/",
  "#/$defs",
  "#/constructor/prototype",
  "https://example.org/schema.json",
  "file:///etc/passwd",
  // all sorts
  "",
  " ",
  "0",
  "-1",
  "1e999",
  "NaN",
  "null",
  "田中さん ﷽ Ω≈ç ヽ༼ຈل͜ຈ༽ﾉ 👩‍👩‍👧‍👦 🇺🇸",
  "x".repeat(30_000),
  "*/".repeat(2_000),
];

/** Values of the wrong kind, for the same places. */
const others: unknown[] = [
  null,
  0,
  Number.POSITIVE_INFINITY,
  true,
  [],
  ["a", ["b"]],
  {},
  { toString: "x", type: { type: "string" } },
];

const benign = "benign";

/** A tool with the value in one of the places that a server fills. */
const places: Record<string, (value: unknown) => Partial<Tool>> = {
  name: (value) => ({ name: asName(value) }),
  title: (value) => ({ title: value as string }),
  description: (value) => ({ description: value as string }),
  annotations: (value) => ({ annotations: { title: value, [asName(value)]: true } }),
  "property name": (value) => schemas({ properties: { [asName(value)]: { type: "string", description: "x" } } }),
  "name in a property": (value) =>
    schemas({ properties: { a: { properties: { [asName(value)]: { description: "x" } } } } }),
  required: (value) => schemas({ properties: { a: {} }, required: [value] }),
  type: (value) => schemas({ properties: { a: { type: value }, b: { type: [value] } } }),
  "property description": (value) => inProperty({ description: value }),
  "property title": (value) => inProperty({ title: value }),
  enum: (value) => inProperty({ enum: [value, "b"] }),
  const: (value) => inProperty({ const: value }),
  "const of an object": (value) => inProperty({ const: { [asName(value)]: [value] } }),
  default: (value) => inProperty({ default: value }),
  "default list": (value) => inProperty({ default: [value] }),
  examples: (value) => inProperty({ examples: [value] }),
  pattern: (value) => inProperty({ pattern: value }),
  format: (value) => inProperty({ format: value }),
  limits: (value) =>
    inProperty({ minimum: value, maximum: value, minLength: value, maxItems: value, exclusiveMinimum: value }),
  $ref: (value) => inProperty({ $ref: value }),
  "$ref into $defs": (value) => inProperty({ $ref: `#/$defs/${asName(value)}` }),
  "name of a definition": (value) =>
    schemas({ ...twice(pointerTo(asName(value))), $defs: { [asName(value)]: recursive(asName(value)) } }),
  $id: (value) => schemas({ $id: value, $schema: value, $comment: value, $anchor: value }),
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

function pointerTo(name: string): string {
  const escaped = name.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("%", "%25");
  return `#/$defs/${escaped}`;
}

function twice($ref: string): object {
  return { properties: { a: { $ref }, b: { $ref } } };
}

function recursive(name: string): object {
  return { type: "object", properties: { next: { $ref: pointerTo(name) } } };
}

function libraryWith(tool: Partial<Tool>, server: string): Library {
  const whole: Tool = { name: "tool", identifier: "tool_a", description: "", inputSchema: { type: "object" }, ...tool };
  return { server, module: "module_a", description: server, tools: [whole, { ...whole, identifier: "tool_b" }] };
}

/** The kinds of all statements; fails on text that is not the language. */
function statements(text: string, language: "dts" | "js"): string[] {
  const { program, errors, comments } = parseSync(`x.${language}`, text, { lang: language, sourceType: "module" });
  expect(errors).toEqual([]);
  for (const { value } of comments) expect(value).not.toMatch(/(^|[\s*{])@/);
  return program.body.map((node) => {
    if (node.type !== "ExportNamedDeclaration" || !node.declaration) return node.type;
    const { declaration } = node;
    return "id" in declaration && declaration.id?.type === "Identifier"
      ? `${declaration.type} ${declaration.id.name}`
      : declaration.type;
  });
}

/** The statements of the library's declarations. Which aliases there are depends on the text only where it decides what is referred to. */
function kinds(library: Library, place: string): string[] {
  const all = statements(declarations(library), "dts").map((kind) =>
    kind.replace(/(?<=TSTypeAliasDeclaration ).*/, ""),
  );
  const decides = place === "$ref" || place === "name of a definition";
  return decides ? all.filter((kind) => !kind.startsWith("TSTypeAliasDeclaration")) : all;
}

describe.each(Object.entries(places))("a server's text as %s", (place, toolWith) => {
  const twin = kinds(libraryWith(toolWith(benign), benign), place);

  test("adds no statement to the declarations and names no tag", () => {
    for (const text of strings) {
      const library = libraryWith(toolWith(text), text);
      expect(kinds(library, place), JSON.stringify(text.slice(0, 80))).toEqual(twin);
    }
  });

  test("of the wrong kind is passed over", () => {
    for (const value of others) {
      const library = libraryWith(toolWith(value), benign);
      expect(kinds(library, "$ref")).toEqual(kinds(libraryWith({}, benign), "$ref"));
      for (const tool of library.tools) expect(signature(tool, { docs: true })).toContain(`${tool.identifier}(args`);
    }
  });
});

test("a server's text adds no statement to a generated folder", () => {
  const shape = (text: string) => {
    const library = libraryWith({ name: text, description: text }, text);
    const files = generatedFiles([library], { language: "typescript", config: text, pythonCoordinator: "" });
    return [...files].map(([path, content]) => {
      if (path.endsWith(".js")) return [path, statements(content, "js")];
      return [path, path.endsWith(".d.ts") ? statements(content, "dts") : content];
    });
  };
  const twin = shape(benign);
  for (const text of strings) expect(shape(text), JSON.stringify(text.slice(0, 80))).toEqual(twin);
});
