import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Coordinator } from "../src/app/coordinator.ts";
import { servicesOf } from "../src/app/services-of.ts";
import { showRun } from "../src/runtime/results/run-result.ts";
import { presented } from "./presented.ts";

// A server that attacks with every string it sends: its strings stay data, everywhere, and its neighbour keeps working.

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "hostile-"));
const canary = join(folder, "canary");
const config = join(folder, "mcp_servers.json");
const env = { ...process.env, MCP_COORDINATOR_HOME: join(folder, "home") };
const name = `*/ "; \`$\{x}\` \u001b[31m __proto__`;
writeFileSync(
  config,
  JSON.stringify({
    mcpServers: {
      [name]: { command: process.execPath, args: [join(root, "test/servers/hostile-server.mjs"), canary] },
      data: { command: process.execPath, args: [join(root, "test/servers/data-server.mjs")] },
    },
  }),
);

let coordinator: Coordinator;
let module: string;
beforeAll(async () => {
  coordinator = await Coordinator.open({ config, env });
  module = servicesOf(coordinator).libraries.modules[0]?.module ?? "";
  await servicesOf(coordinator).libraries.discover();
});
afterAll(async () => {
  await coordinator.close();
  expect(existsSync(canary)).toBe(false);
  rmSync(folder, { recursive: true, force: true });
});

const unsafe = /(?![\n\t])\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

describe("its strings stay data", () => {
  test("every good tool is there, under a legal name of its own, and no bad one hides another", async () => {
    const { library, skipped } = await servicesOf(coordinator).libraries.get(name);
    expect(module).toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/);
    expect(library.tools).toHaveLength(49);
    expect(new Set(library.tools.map(({ identifier }) => identifier)).size).toBe(49);
    for (const { identifier } of library.tools) expect(identifier).toMatch(/^(?!__)[A-Za-z_][A-Za-z0-9_]*$/);
    expect(skipped.length).toBeGreaterThanOrEqual(3);
  });

  test("a guest calls each of them, by its identifier and by its exact name", async () => {
    const run = await coordinator.execute({
      code: `
        import * as hostile from "mcp_tools/${module}";
        const tools = await hostile.list_tools();
        const wrong = [];
        for (const { name, identifier } of tools) {
          const byName = await hostile.call(name, {});
          const byIdentifier = await (hostile as any)[identifier]({});
          if (byName.called !== name || byIdentifier.called !== name) wrong.push(name);
        }
        ({ tools: tools.length, wrong, polluted: ({} as any).x !== undefined })`,
    });
    expect(run.error).toBeUndefined();
    expect(run.result).toEqual({ tools: 49, wrong: [], polluted: false });
  });

  test("search finds them and shows nothing that a terminal or a reader would obey", async () => {
    for (const query of [
      "__proto__",
      "constructor",
      "' OR 1=1 --",
      "NEAR(a b)",
      "名前",
      "*",
      '"',
      "\u0000",
      "x".repeat(10_000),
    ]) {
      const { text } = await presented(coordinator, "search_tools", { query });
      expect(text).not.toMatch(unsafe);
    }
    const { text } = await presented(coordinator, "search_tools", { server: name, detail: "full" });
    expect(text).not.toMatch(unsafe);
    expect(text.length).toBeLessThan(40_000);
  });

  test("generated libraries type-check under strict, load without running anything of it, and work", async () => {
    const project = join(folder, "project");
    mkdirSync(join(project, "node_modules"), { recursive: true });
    symlinkSync(root, join(project, "node_modules", "mcp-coordinator"));
    await coordinator.generateTools({ out: join(project, "mcp_tools") });
    expect(readdirSync(join(project, "mcp_tools"))).toContain(`${module}.d.ts`);
    const tsc = join(root, "node_modules/.bin/tsc");
    const flags = [
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "false",
      "--target",
      "esnext",
      "--module",
      "nodenext",
      "--types",
      "",
    ];
    const files = readdirSync(join(project, "mcp_tools")).filter((file) => file.endsWith(".d.ts"));
    const checked = spawnSync(tsc, [...flags, ...files.map((file) => join("mcp_tools", file))], {
      cwd: project,
      encoding: "utf8",
    });
    expect(checked.stdout).toBe("");
    const program = `import * as h from "./mcp_tools/${module}.js"; console.log(JSON.stringify(await h.call("constructor")), (await h.list_tools()).length);`;
    writeFileSync(join(project, "program.mjs"), program);
    const ran = spawnSync(process.execPath, ["program.mjs"], { cwd: project, env, encoding: "utf8" });
    expect([ran.stdout, ran.stderr]).toEqual(['{"called":"constructor"} 49\n', ""]);
  });

  test.each([["servers"], ["tools", name], ["search", "proto"], ["doctor"]])(
    "the command %s prints no control sequence",
    (...args) => {
      const { stdout, stderr } = spawnSync(process.execPath, [join(root, "dist/cli.js"), ...args, "--config", config], {
        env,
        encoding: "utf8",
      });
      expect(stdout).not.toMatch(unsafe);
      expect(stderr).not.toMatch(unsafe);
    },
  );
});

test("what a guest throws reaches its caller without what terminals obey or people cannot see", async () => {
  const run = await coordinator.execute({
    code: String.raw`class \u0041b extends Error { name = "Ab\u001b[31m" } throw new \u0041b("bad \u001b]0;t\u0007\u202eevil\u{e0041}\nnext: é 漢 👩‍👩‍👧");`,
  });
  expect(run.error).toMatchObject({ name: "Ab", message: "bad evil\nnext: é 漢 👩‍👩‍👧" });
  expect(showRun(run)).not.toMatch(unsafe);
});

test("its neighbour is not touched", async () => {
  const run = await coordinator.execute({
    code: 'import { customers } from "mcp_tools/data"; (await customers()).customers.length',
  });
  expect(run.result).toBe(100);
});
