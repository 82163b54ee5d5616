import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(`${root}README.md`, "utf8");
const { withNumbers } = await import(`${root}bench/readme-numbers.mjs`);
const scripts = [...readFileSync(`${root}bench/all.mjs`, "utf8").matchAll(/"([a-z][a-z-]*)"(?=[,\]])/g)].map(
  ([, name]) => `bench/${name}.mjs`,
);

const machine = "2026-01-02: 2 cores; load average 0.1 before, 0.2 after.";
const row = { what: "a run", ours: "4 ms", floor: "2 ms bare", ratio: "2.00x", script: "bench/calls.mjs" };

test("every script of the whole bench exists, gives rows, and can be run alone", () => {
  expect(scripts).toContain("bench/calls.mjs");
  for (const script of scripts) {
    const text = readFileSync(root + script, "utf8");
    expect(text).toContain("export async function measure()");
    expect(text).toContain("await printWhenAlone(import.meta.url, measure);");
  }
});

test("every number in the README names the script that printed it", () => {
  const [, table = ""] = readme.split(/<!-- \/?numbers.*-->/);
  const rows = table.split("\n").filter((line) => line.startsWith("| "));
  expect(rows.length).toBeGreaterThan(1);
  for (const line of rows.slice(1)) {
    const script = /`([^`]+\.mjs)` \|$/.exec(line)?.[1];
    expect(script && existsSync(root + script), line).toBe(true);
  }
});

test("the README gets the rows that have a goal, or are wanted without one, and loses those it had", () => {
  const rows = [
    { ...row, goal: "<= 3x", met: true },
    { ...row, floor: "1 ms relay", ratio: "4.00x", goal: "<= 2x", met: false },
    { ...row, what: "wanted", ratio: "–", published: true },
    { ...row, what: "only printed" },
    { ...row, what: "kept back", goal: "<= 1x", met: true, published: false },
  ];
  const [before, , after] = readme.split(/<!-- \/?numbers.*-->/);
  const written: string = withNumbers(readme, rows, machine);
  expect(written.split(/<!-- \/?numbers.*-->/)).toEqual([
    before,
    `
Here, ${machine}

| what | ours | beside | goal | script |
|---|---|---|---|---|
| a run | 4 ms | 2 ms bare: 2.00x; 1 ms relay: 4.00x | <= 3x; <= 2x (missed) | \`bench/calls.mjs\` |
| wanted | 4 ms | 2 ms bare |  | \`bench/calls.mjs\` |
`,
    after,
  ]);
  expect(withNumbers(written, rows, machine)).toBe(written);
});

test("without its marks the README is left alone", () => {
  expect(() => withNumbers("# A text", [row], machine)).toThrow("README.md has no place for numbers");
});
