import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Coordinator } from "../src/app/coordinator.ts";
import { createCredentials } from "../src/store/files/credentials.ts";

// A data folder that an older program has left (commit 3c9019b, schema 4), with some of everything that people keep.

const archive = fileURLToPath(new URL("./data-folder-of-schema-4.tar.gz", import.meta.url));
const run = "rmwldm92g68858f";
const folder = mkdtempSync(join(tmpdir(), "old-data-"));
const home = join(folder, "home");
let coordinator: Coordinator;

beforeAll(async () => {
  mkdirSync(home);
  execFileSync("tar", ["xzf", archive, "-C", home]);
  const config = join(folder, "mcp_servers.json");
  writeFileSync(config, JSON.stringify({ mcpServers: {} }));
  coordinator = await Coordinator.open({
    config,
    env: { PATH: process.env["PATH"] ?? "", MCP_COORDINATOR_HOME: home },
  });
});
afterAll(async () => {
  await coordinator?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("its skills are there, with every version, are found and run", async () => {
  expect(await coordinator.run("list_skills", {})).toMatchObject([
    { name: "double", version: 2, description: "Doubles a number, at last.", tags: ["math"] },
    { name: "shout", version: 1, language: "python" },
  ]);
  expect(await coordinator.run("skill_history", { name: "double" })).toMatchObject([{ version: 2 }, { version: 1 }]);
  expect(await coordinator.run("search_skills", { query: "louder" })).toMatchObject([{ name: "shout" }]);
  const code = 'import { double } from "skills/double"; double(21)';
  expect(await coordinator.execute({ code })).toMatchObject({ status: "ok", result: 42 });
});

test("the number of a deleted skill's version is not given again", async () => {
  const code = "/** Comes back. */\nexport const gone = () => 2;";
  expect(await coordinator.run("save_skill", { name: "gone", code })).toMatchObject({ version: 2 });
});

test("its memory is there, and revisions go on where they were", async () => {
  const [before] = (await coordinator.run("list_memory", { namespace: "default" })) as { revision: number }[];
  expect(before).toMatchObject({ key: "greeting", metadata: { by: "me" } });
  expect(await coordinator.run("get_memory", { namespace: "default", key: "greeting" })).toEqual({ text: "hello" });
  expect(await coordinator.run("get_memory", { namespace: "team", key: "greeting" })).toBe(7);
  const written = await coordinator.run("set_memory", { namespace: "team", key: "greeting", value: 9 });
  // Three were given, the last one to a key that is gone.
  expect(written).toMatchObject({ revision: 4 });
});

test("its runs are there with their calls, and its artifacts", async () => {
  expect(await coordinator.run("get_run", { run })).toMatchObject({
    status: "ok",
    toolCalls: [{ server: "data", tool: "orders", args: '{"count":2}', outcome: "ok" }],
  });
  expect(await coordinator.run("list_runs", {})).toEqual(
    expect.arrayContaining([expect.objectContaining({ id: run, calls: 1 })]),
  );
  expect(await coordinator.run("read_artifact", { uri: `artifact://${run}/note.txt` })).toBe("kept");
});

test("its sign-ins are there", async () => {
  const url = "https://mcp.example.org/mcp";
  expect(await createCredentials(join(home, "credentials")).read(url)).toMatchObject({ issuer: "https://example.org" });
});
