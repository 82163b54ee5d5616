import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createContext, Script } from "node:vm";
import { parseSync } from "oxc-parser";
import { expect, test } from "vitest";
import { hostileTexts } from "./hostile-texts.ts";

// Guests, clients and servers choose the texts that the host's one thread looks through. A pattern whose time grows faster than
// the text is a way to stop the coordinator for everybody.

interface Pattern {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** Files whose patterns see only texts of a checked length, and that length. */
const bounded = new Map([["packages/python/requirement.ts", 300]]);

const root = fileURLToPath(new URL("../src/", import.meta.url));

test("no pattern of the host takes time that grows faster than the text", () => {
  const patterns = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter(
      (file) => file.endsWith(".ts") && !/sandbox\/guest\/|\.(?:test|fixture)\.ts$/.test(file.replaceAll("\\", "/")),
    )
    .flatMap((file) => patternsOf(file, readFileSync(`${root}${file}`, "utf8")));
  expect(patterns.length).toBeGreaterThan(300);
  expect(patterns.flatMap((pattern) => slowness(pattern) ?? [])).toEqual([]);
});

const planted: [kind: string, code: string][] = [
  ["exponential", "/^[A-Za-z0-9]+(?:(?:[_-]+|(?<=[a-z0-9])(?=[A-Z]))[A-Za-z0-9]+)+$/"],
  ["exponential, of constants", 'const word = "(?:a|b|ab)"; new RegExp(`^$' + "{word}*$`)"],
  ["cubic", "/^\\s*(`{3,}|~{3,})[^\\n]*\\n([\\s\\S]*?)\\n?[ \\t]*\\1[ \\t]*\\s*$/"],
  ["quadratic at line ends", "/^\\s*from\\b/m"],
  ["quadratic by a start that repeats", "/\\$\\{[^}]*\\}/g"],
  ["quadratic after its own words", '/^Type of "[\\s\\S]*" is "(.*)"$/'],
  ["quadratic by an alternative", "/^--?[\\w-]*(?:key|token|dsn)[\\w-]*$/i"],
  ["quadratic as a text", 'new RegExp("[a-z]+[0-9]", "g")'],
];

test.each(planted)("a planted pattern is found: %s", (_kind, code) => {
  const found = patternsOf("planted.ts", code).flatMap((pattern) => slowness(pattern) ?? []);
  expect(found).toHaveLength(1);
});

test.each(["/[a-z]+/g", "/^\\s*x/", "/[ \\t]{1,20}$/m", "/^a.*b/", 'new RegExp("^a|b+c?")'])(
  "a linear pattern is not accused: %s",
  (code) => {
    const patterns = patternsOf("planted.ts", code);
    expect(patterns).toHaveLength(1);
    expect(patterns.flatMap((pattern) => slowness(pattern) ?? [])).toEqual([]);
  },
);

// --- what there is

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

function patternsOf(file: string, code: string): Pattern[] {
  const nodes = [...nodesIn(parseSync(file, code).program)];
  const constants = new Map<string, SyntaxNode>();
  for (const { type, id, init } of nodes) {
    if (type === "VariableDeclarator" && isNode(id) && isNode(init)) constants.set(String(id["name"]), init);
  }
  const split = new Set(
    nodes.flatMap(({ type, callee, arguments: given }) =>
      type === "CallExpression" &&
      isNode(callee) &&
      isNode(callee["property"]) &&
      callee["property"]["name"] === "split"
        ? (given as SyntaxNode[])
        : [],
    ),
  );
  return nodes.flatMap((node) => {
    const place = `${file}:${code.slice(0, node.start).split("\n").length}`;
    const literal = node["regex"] as { pattern: string; flags: string } | undefined;
    // Splitting goes on after a match, like a global pattern.
    if (literal)
      return [{ place, source: literal.pattern, flags: split.has(node) ? `${literal.flags}g` : literal.flags }];
    const isMade =
      /^(?:New|Call)Expression$/.test(node.type) && isNode(node["callee"]) && node["callee"]["name"] === "RegExp";
    if (!isMade) return [];
    const [source, flags] = node["arguments"] as SyntaxNode[];
    return [{ place, source: textOf(source, constants), flags: flags ? textOf(flags, constants) : "" }];
  });
}

/** What a text of the program says; what only a run knows is the word `name`. */
function textOf(node: unknown, constants: ReadonlyMap<string, SyntaxNode>, depth = 0): string {
  if (!isNode(node) || depth > 8) return "name";
  const inner = (part: unknown) => textOf(part, constants, depth + 1);
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node.type === "Identifier") return inner(constants.get(String(node["name"])));
  if (node.type === "BinaryExpression" && node["operator"] === "+") return inner(node["left"]) + inner(node["right"]);
  if (node.type === "BinaryExpression") return "3";
  const isRaw = node.type === "TaggedTemplateExpression";
  const template = isRaw ? node["quasi"] : node;
  if (!isNode(template) || template.type !== "TemplateLiteral") return "name";
  const parts = template["expressions"] as SyntaxNode[];
  return (template["quasis"] as { value: { raw: string; cooked: string } }[])
    .map(({ value }, index) => (isRaw ? value.raw : value.cooked) + (index < parts.length ? inner(parts[index]) : ""))
    .join("");
}

function* nodesIn(value: unknown): Generator<SyntaxNode> {
  if (Array.isArray(value)) for (const item of value) yield* nodesIn(item);
  if (!isNode(value)) return;
  yield value;
  for (const [key, child] of Object.entries(value)) if (key !== "regex") yield* nodesIn(child);
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

// --- how it behaves

/** Short texts: an exponential pattern does not even come to their end. */
const short = new Script("for (const make of texts) once((state.text = make(64)));");

/** Only what is slow for its length is looked at more closely: how much slower is it when the text gets four times as long? */
const long = new Script(`
  for (const make of texts) {
    state.text = make(2_000);
    if (once(state.text) < 0.3 || once(state.text) < 0.3 || once(state.text) < 0.3) continue;
    let before = best(make(4_000));
    for (const length of [16_000, 64_000]) {
      const time = best((state.text = make(length)));
      if (time > 40 && time > 8 * before) throw new Error(\`\${length} characters take \${Math.round(time)} ms\`);
      before = time;
    }
  }
`);

const prepare = new Script(`
  const pattern = new RegExp(source, flags);
  const once = (text) => {
    const start = cpuTime();
    if (pattern.global || pattern.sticky) text.replace(pattern, "");
    else text.search(pattern);
    return cpuTime() - start;
  };
  const best = (text) => Math.min(once(text), once(text), once(text));
`);

function slowness({ place, source, flags }: Pattern): string | undefined {
  // Without a repetition that has no end nothing can grow.
  if (!/[*+]|\{\d+,\}/.test(source)) return undefined;
  const most = bounded.get(place.replace(/:\d+$/, "")) ?? Number.POSITIVE_INFINITY;
  const texts = hostileTexts(source).map((make) => (length: number) => make(Math.min(length, most)));
  const state = { text: "" };
  const context = createContext({ source, flags: globalAndSticky(flags), texts, state, cpuTime });
  try {
    prepare.runInContext(context);
    // A pattern that is interrupted is found too: what is linear needs a fraction of these times.
    short.runInContext(context, { timeout: 1_000 });
    long.runInContext(context, { timeout: 10_000 });
    return undefined;
  } catch (error) {
    const start = JSON.stringify(state.text.slice(0, 60));
    return `${place} /${source}/${flags} on ${start}…: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Milliseconds of this process: other processes of a busy machine do not count. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** A sticky pattern is asked again and again, each time where it stopped. */
function globalAndSticky(flags: string): string {
  return [...new Set(flags.includes("y") ? `${flags}g` : flags)].join("");
}
