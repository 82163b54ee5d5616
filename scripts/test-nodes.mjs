// Runs the tests on Node 22 and 24, from the npm packages that carry those programs, and prints a table:
// `node scripts/test-nodes.mjs [--part] [MAJOR ...]`. --part is what CI runs on Node 24: about a minute of tests that would notice trouble.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Streams and memory of the gateway, processes and pipes of two engines, native modules, the command. */
const part = [
  ...["test/attacks/gateway.test.ts", "test/gateway/gateway.test.ts", "test/gateway/http.test.ts"],
  ...["test/engines/cpython.test.ts", "test/coordinator.test.ts", "test/cli/usage.test.ts", "src/store"],
];

const words = process.argv.slice(2);
const isPart = words.includes("--part");
const named = words.filter((word) => !word.startsWith("-"));
const folder = mkdtempSync(join(tmpdir(), "nodes-"));
let rows;
try {
  rows = (named.length > 0 ? named : ["22", "24"]).map(test);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.table(Object.fromEntries(rows.map(({ node, ...row }) => [node, row])));
process.exitCode = rows.every(({ result }) => result === "passed") ? 0 : 1;

function test(major) {
  const place = join(folder, major);
  const name = `node-linux-${process.arch}`;
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  if (!run("npm", ["install", "--no-save", ...quiet, "--prefix", place, `${name}@${major}`])) {
    return { node: major, result: "not installed" };
  }
  const node = join(place, "node_modules", name, "bin", "node");
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
  console.log(`\n=== tests on Node ${version}`);
  const began = Date.now();
  const counts = join(folder, `${major}.json`);
  const options = ["--reporter=default", "--reporter=json", `--outputFile.json=${counts}`];
  const command = isPart ? ["exec", "--", "vitest", "run", ...part] : ["test", "--"];
  const passed = run("npm", [...command, ...options], dirname(node) + delimiter + process.env.PATH);
  return {
    node: version,
    result: passed ? "passed" : "FAILED",
    ...countsOf(counts),
    seconds: Math.round((Date.now() - began) / 1000),
  };
}

function countsOf(file) {
  if (!existsSync(file)) return {};
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(file, "utf8"));
  return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests };
}

function run(command, args, path = process.env.PATH) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, PATH: path } });
  return status === 0;
}
