import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Coordinator } from "../src/operations/coordinator.ts";
import type { ModuleSource, SourceModule } from "../src/runtime/module-source.ts";
import type { RunResult } from "../src/runtime/run-result.ts";

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
function source(modules: Record<string, Omit<SourceModule, "language">>, language: SourceModule["language"]): ModuleSource {
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
    "skills/report": { id: "skills/report@3", code: "export const version = 3;\nexport function report(n: number) { return `report ${n}`; }" },
  },
  "typescript",
);
const python = source(
  { "skills.report": { id: "skills/report@3", code: "version = 3\ndef report(n: int):\n    return f'report {n}'\n" } },
  "python",
);

describe("first", () => {
  test("ts", async () => {
    const r = await coordinator.execute({ code: 'import { report } from "skills/report"; report(2)', modules: [typescript], check: false });
    expect(r).toMatchObject({ status: "ok", result: "report 2" });
  });
  test.each(["cpython", "pyodide"])("py %s", async (engine) => {
    const r = await coordinator.execute({ language: "python", engine, code: 'from skills.report import report\nreport(2)', modules: [python], check: false });
    expect(r).toMatchObject({ status: "ok", result: "report 2" });
  });
});
