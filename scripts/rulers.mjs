// Measures src/ without tests and prints the figures: `node scripts/rulers.mjs [--faults]`. Fails when files or rooms import each other in a
// circle, types included, a file has more than 400 lines, a function more than 80 or a folder more than 30 files; functions over 60 are listed.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";

const source = fileURLToPath(new URL("../src", import.meta.url));
const longestFile = 400;
const longFunction = 60;
const longestFunction = 80;
const mostInFolder = 30;

const files = readdirSync(source, { recursive: true })
  .filter((name) => name.endsWith(".ts") && !/\.(test|fixture)\.ts$/.test(name))
  .map((name) => measure(name, readFileSync(join(source, name), "utf8")));
const sum = (key) => files.reduce((total, file) => total + file[key], 0);
const lines = sum("lines");
const longFunctions = files.flatMap((file) => file.longFunctions).sort((left, right) => right.lines - left.lines);
const folders = new Map();
for (const { name } of files) folders.set(dirname(name), (folders.get(dirname(name)) ?? 0) + 1);
const faults = [
  ...circles(new Map(files.map(({ name, imports }) => [name, imports]))).map((circle) => `circle: ${circle.join(" ")}`),
  ...circles(roomGraph()).map((circle) => `rooms in a circle: ${circle.join(" ")}`),
  ...files.filter((file) => file.lines > longestFile).map(({ name, lines: many }) => `${name} has ${many} lines`),
  ...longFunctions
    .filter((one) => one.lines > longestFunction)
    .map(({ where, lines: many }) => `the function at ${where} has ${many} lines`),
  ...[...folders].filter(([, many]) => many > mostInFolder).map(([folder, many]) => `${many} files in ${folder}/`),
];

if (!process.argv.includes("--faults")) tell();
for (const fault of faults) console.log(`FAULT ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;

function tell() {
  console.table({
    files: files.length,
    lines,
    "longest file": Math.max(...files.map((file) => file.lines)),
    "functions over 60 lines": longFunctions.length,
    "functions over 80 lines": longFunctions.filter((one) => one.lines > longestFunction).length,
    "casts per 1,000 lines": Number(((sum("casts") / lines) * 1000).toFixed(1)),
    "try per 1,000 lines": Number(((sum("tries") / lines) * 1000).toFixed(1)),
  });
  for (const { where, lines: many } of longFunctions) console.log(`${many} lines: ${where}`);
}

function measure(name, text) {
  const starts = [...text.matchAll(/^/gm)].map(({ index }) => index);
  const lineOf = (offset) => starts.findLastIndex((start) => start <= offset) + 1;
  const found = { name, lines: text.split("\n").length - 1, casts: 0, tries: 0, longFunctions: [], imports: [] };
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node?.type !== "string") return;
    if (node.type === "TSAsExpression" && node.typeAnnotation.typeName?.name !== "const") found.casts++;
    if (node.type === "TryStatement") found.tries++;
    if (/Function/.test(node.type) && node.body?.type === "BlockStatement") {
      const many = lineOf(node.end - 1) - lineOf(node.start) + 1;
      if (many > longFunction) found.longFunctions.push({ where: `${name}:${lineOf(node.start)}`, lines: many });
    }
    const from = node.source?.value;
    if (typeof from === "string" && from.startsWith(".")) {
      found.imports.push(relative(source, normalize(join(source, dirname(name), from))));
    }
    for (const value of Object.values(node)) if (typeof value === "object") visit(value);
  };
  visit(parseSync(name, text).program);
  return found;
}

function roomGraph() {
  const roomOf = (name) => name.split("/")[0];
  const graph = new Map(files.map(({ name }) => [roomOf(name), new Set()]));
  for (const { name, imports } of files) {
    for (const other of imports) if (roomOf(other) !== roomOf(name)) graph.get(roomOf(name)).add(roomOf(other));
  }
  return graph;
}

/** Groups in which each reaches each (Tarjan). */
function circles(graph) {
  const seen = new Map();
  const stack = [];
  const found = [];
  const go = (name) => {
    const own = { index: seen.size, low: seen.size, isOpen: true };
    seen.set(name, own);
    stack.push(name);
    for (const next of graph.get(name) ?? []) {
      if (!graph.has(next)) continue;
      const known = seen.get(next);
      if (!known) own.low = Math.min(own.low, go(next).low);
      else if (known.isOpen) own.low = Math.min(own.low, known.index);
    }
    if (own.low === own.index) {
      const group = stack.splice(stack.indexOf(name));
      for (const member of group) seen.get(member).isOpen = false;
      if (group.length > 1) found.push(group);
    }
    return own;
  };
  for (const name of graph.keys()) if (!seen.has(name)) go(name);
  return found;
}
