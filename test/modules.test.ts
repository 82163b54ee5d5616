import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Coordinator } from "../src/operations/coordinator.ts";
import type { ModuleSource, SourceModule } from "../src/runtime/module-source.ts";

// Modules that come with a program, through the whole of it: found, compiled, checked, run.

const folder = mkdtempSync(join(tmpdir(), "coordinator-modules-"));
const data = { command: process.execPath, args: [fileURLToPath(new URL("servers/data-server.mjs", import.meta.url))] };
let coordinator: Coordinator;

const open = (sandbox: object = {}, home = "home"): Promise<Coordinator> => {
  const config = join(folder, `${home}.json`);
  writeFileSync(config, JSON.stringify({ mcpServers: { data }, coordinator: { sandbox } }));
  return Coordinator.open({ config, env: { ...process.env, MCP_COORDINATOR_HOME: join(folder, home) } });
};

beforeAll(async () => {
  coordinator = await open();
});
afterAll(async () => {
  await coordinator.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Skills and files by the specifier that means them; several may mean the same. */
function source(
  modules: Record<string, Omit<SourceModule, "language">>,
  language: SourceModule["language"],
): ModuleSource {
  const known = new Map(Object.entries(modules));
  return {
    find: (specifier) => {
      const module = known.get(specifier);
      return module && { ...module, language };
    },
    names: () => [...known.keys()].map((name) => name.replaceAll(".", "/")),
  };
}

const typescript = source(
  {
    "skills/report": {
      id: "skills/report@3",
      code: "export const version = 3;\nexport function report(n: number) { return \"report \" + n; }",
    },
  },
  "typescript",
);
const python = source(
  { "skills.report": { id: "skills/report@3", code: "version = 3\ndef report(n: int):\n    return f'report {n}'\n" } },
  "python",
);

describe("first", () => {
  test("ts", async () => {
    const r = await coordinator.execute({
      code: 'import { report } from "skills/report"; report(2)',
      modules: [typescript],
    });
    expect(r).toMatchObject({ status: "ok", result: "report 2" });
  });
  test("tsbad", async () => {
    const r = await coordinator.execute({
      code: 'import { reprt } from "skills/report"; import { report } from "skills/report"; reprt(2); report("x"); report(1).foo()',
      modules: [typescript],
    });
    console.log(r);
    console.log(
      await coordinator.execute({
        code: 'import { reprt } from "skills/bad"; reprt(2); ',
        modules: [
          source(
            {
              "skills/bad": {
                id: "skills/bad@1",
                code: "export function reprt(a: number) {\n return foo + a }\n import {x} from 'skills/oo'",
              },
            },
            "typescript",
          ),
        ],
      }),
    );
    console.log(
      await coordinator.execute({
        code: 'import { reprt } from "skills/bad"; reprt(2); ',
        modules: [
          source(
            { "skills/bad": { id: "skills/bad@1", code: "export function reprt(a: number) {\n return foo + a }\n " } },
            "typescript",
          ),
        ],
      }),
    );
    console.log(
      await coordinator.execute({
        code: 'import l, { reprt } from "lodash";\n[reprt(2), l.x] ',
        modules: [
          source(
            {
              lodash: {
                id: "lodash@1",
                format: "commonjs",
                code: "const fs=require('node:fs'); module.exports = {x: typeof fs.readFileSync, reprt(a) { return a + 1; } }",
              },
            },
            "typescript",
          ),
        ],
      }),
    );
  });
  test("pybad", async () => {
    const run = async (code: string, mods: Record<string, string> = {}) =>
      console.log(
        await coordinator.execute({
          language: "python",
          code,
          modules: [
            python,
            source(Object.fromEntries(Object.entries(mods).map(([k, v]) => [k, { id: `id ${k}`, code: v }])), "python"),
          ],
        }),
      );
    await run("from skills.report import reprt, report\nreprt(2)\nreport(1,2)\nreport('x')\nreport(2).foo");
    await run("from skills.reprt import report");
    await run("import fib\nfib.f(3).x\nfib.f()", { fib: "def f(a):\n  return a" });
    await run("import fib\nfib.f(3)");
    await run("import json\njson.dumps(3)", { json: "dumps = 3" });
    await run("import fib\nfib.f(3)", { fib: "import json\ndef f(a):\n  return fob + json.sumps(a)\n" });
    await run("import fib\nfib.f(3)", { fib: "\ndef f(a):\n  return a/0\n" });
  }, 60000);
  test.each(["cpython", "pyodide"])("py %s", async (engine) => {
    const r = await coordinator.execute({
      language: "python",
      engine,
      code: "from skills.report import report\nreport(2)",
      modules: [python],
    });
    expect(r).toMatchObject({ status: "ok", result: "report 2" });
  });
});
