import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostRows } from "./host-rows.ts";

export interface HostCell {
  readonly id: string;
  readonly title: string;
  readonly ok: boolean;
  readonly text: string;
}

/** A test as it came out. */
export interface Assertion {
  readonly title: string;
  readonly status: string;
}

/** Runs the tests that the rows of the host name, and tells how each row came out. */
export function attackHost(ids: (id: string) => boolean): HostCell[] {
  const rows = hostRows.filter(({ id }) => ids(id));
  const files = [...new Set(rows.flatMap(({ tests = [] }) => tests.map(([file]) => file)))];
  const results = files.length > 0 ? runTests(files) : new Map<string, readonly Assertion[]>();
  return rows.map(({ id, title, tests = [], later, remains }) => {
    if (later !== undefined) return { id, title, ok: true, text: `later: ${later}` };
    if (remains !== undefined) return { id, title, ok: true, text: `remains: ${remains}` };
    const found = tests.flatMap(([file, name]) => matching(results.get(file) ?? [], file, name));
    const wrong = found.filter(({ status }) => status !== "passed");
    const text =
      wrong.length > 0 ? `FAILED: ${wrong.map((test) => test.title).join("; ")}` : `ok: ${found.length} tests`;
    return { id, title, ok: wrong.length === 0, text };
  });
}

/** A name in a table of tests has places for values; a name that nothing ran by counts as failed. */
export function matching(assertions: readonly Assertion[], file: string, name: string): readonly Assertion[] {
  const parts = name.split(/%(?:\.\d+)?[a-z]/).map((part) => part.replace(/[.*+?^$()|[\]{}\\]/g, "\\$&"));
  const found = assertions.filter(({ title }) => new RegExp(parts.join(".*"), "s").test(title));
  return found.length > 0 ? found : [{ title: `${file}: no test "${name}"`, status: "missing" }];
}

export function runTests(files: readonly string[]): Map<string, readonly Assertion[]> {
  const report = join(mkdtempSync(join(tmpdir(), "attacks-host-")), "report.json");
  const args = ["node_modules/vitest/vitest.mjs", "run", ...files, "--reporter=json", `--outputFile=${report}`];
  spawnSync(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
    testResults: { name: string; assertionResults: Assertion[] }[];
  };
  return new Map(
    testResults.map(({ name, assertionResults }) => [
      files.find((file) => name.endsWith(file)) ?? name,
      assertionResults,
    ]),
  );
}
