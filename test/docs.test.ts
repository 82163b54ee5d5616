import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { withoutEnd } from "../src/door/run-log.ts";
import { errorCodes } from "../src/errors.ts";
import { runStatuses } from "../src/runtime/results/run-result.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string) => readFileSync(root + path, "utf8");
const documents = [
  "README.md",
  "AGENTS.md",
  "CONTRIBUTING.md",
  ...readdirSync(`${root}docs`).map((name) => `docs/${name}`),
];

test("docs/errors.md explains every error code, in the words of the table, and no other", () => {
  const [codes = ""] = read("docs/errors.md").split(/^## How a run ends$/m);
  const rows = [...codes.matchAll(/^\| `([a-z_]+)` \| ([^|]+) \|/gm)];
  const explained = Object.fromEntries(rows.map(([, code, means]) => [code, means?.trim()]));
  expect(explained).toMatchObject(errorCodes);
  expect(Object.keys(explained).filter((code) => !(code in errorCodes))).toEqual([]);
});

test("docs/errors.md explains every status of a run", () => {
  const [, table = ""] = /^## How a run ends\n(.*?)^## /ms.exec(read("docs/errors.md")) ?? [];
  const explained = [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = ""]) => cell.match(/\w+/g) ?? []);
  expect(new Set(explained)).toEqual(new Set([...runStatuses, ...withoutEnd]));
});

describe.each(documents)("%s", (path) => {
  test("links only to files that exist", () => {
    const links = [...read(path).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, target]) => target as string);
    const base = path.includes("/") ? "docs/" : "";
    for (const link of links) expect(() => read(base + link)).not.toThrow();
  });
});

test("the README fits on a few screens, and AGENTS.md on two", () => {
  expect(read("README.md").split("\n").length).toBeLessThanOrEqual(200);
  expect(read("AGENTS.md").split("\n").length).toBeLessThanOrEqual(100);
});

test.each(["package-lock.json", "test/foreign/package-lock.json"])("%s names no registry host", (path) => {
  expect(read(path)).not.toMatch(/"resolved"|https?:\/\/registry/);
});

test("what nothing outlives is said of Linux, where that was tested", () => {
  const said = documents.flatMap((path) => read(path).match(/^.*outlives the coordinator.*$/gm) ?? []);
  expect(said.length).toBeGreaterThan(1);
  for (const line of said) expect(line).toContain("Linux");
});
