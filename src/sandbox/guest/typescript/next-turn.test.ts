import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { packageFile } from "../../../system/package-file.ts";
import { createLockedDeno } from "../../deno/locked-deno.ts";
import { testLimits } from "../../limits.fixture.ts";
import { knownVersion } from "./next-turn.ts";

const folder = mkdtempSync(join(tmpdir(), "next-turn-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The guest in a Deno that says that it is of some version, and counts who takes its own setImmediate. */
async function runIn(version: string) {
  const script = join(folder, `${version}.js`);
  writeFileSync(
    script,
    `Deno.version = { ...Deno.version, deno: ${JSON.stringify(version)} };
    const original = setImmediate;
    globalThis.turns = 0;
    globalThis.setImmediate = (...given) => { turns++; return original(...given) };
    await import("/main.js");`,
  );
  const options = { limits: testLimits, isolation: "os", findProgram: (name: string) => `/usr/bin/${name}` } as const;
  const deno = createLockedDeno(options, async () => ({
    ...{ engine: "deno", layer: "none", script, files: new Map([["main.js", packageFile("dist/guest/deno.js")]]) },
    ...{ v8Flags: [], reservedMb: 600, reservedSeconds: 0, stackMb: 0 },
  }));
  const sandbox = await deno.start();
  const code = `async (load) => {
    const { call } = await load("mcp_tools/echo", ["call"]);
    const called = [await call("a"), await call("b")];
    return { turns, called, waited: await new Promise((resolve) => setTimeout(() => setImmediate(resolve, "yes"), 1)) };
  }`;
  const libraries = [{ server: "echo", module: "echo", tools: [] }];
  const program = { code, libraries, modules: [], operations: [], imports: { allow: ["*"], deny: [] } };
  const ports = { call: async () => '"done"', operation: async () => "null", print: () => undefined };
  try {
    return await sandbox.run(program, ports, { timeoutMs: 60_000 });
  } finally {
    sandbox.kill();
  }
}

const done = { called: ["done", "done"], waited: "yes" };

test("in the Deno that is known, a turn takes nothing of Node's timers", async () => {
  expect(await runIn(knownVersion)).toEqual({ end: "ok", value: { turns: 0, ...done } });
});

test("in any other Deno, a turn is setImmediate", async () => {
  expect(await runIn("2.9.7")).toEqual({
    end: "ok",
    value: { turns: expect.toSatisfy((turns) => turns > 0), ...done },
  });
});

test("the Deno that is installed is the known one", () => {
  expect(createRequire(import.meta.url)("deno/package.json").version).toBe(knownVersion);
});
