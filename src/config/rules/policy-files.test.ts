import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { managedPolicy, openPolicyFiles } from "./policy-files.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "policy-files-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("the administrator's rules stand where users of the system cannot write", () => {
  expect(managedPolicy({}, "linux")).toBe("/etc/mcp-coordinator/policy.json");
  expect(managedPolicy({}, "darwin")).toBe("/Library/Application Support/mcp-coordinator/policy.json");
  expect(managedPolicy({ ProgramData: "D:\\Data" }, "win32")).toBe("D:\\Data\\mcp-coordinator\\policy.json");
});

test("the administrator's, the user's own and those of the file in use are in force together, as they are now", async () => {
  const { files, managed, own } = await threeFiles();
  await writeFile(managed, JSON.stringify({ preset: "careful" }));
  await writeFile(own, JSON.stringify({ coordinator: { policy: { trust: ["notes"] } } }));
  const opened = await files();
  expect(opened.layers.map(({ origin, file }) => [origin, file])).toEqual([
    ["managed", managed],
    ["user", own],
    ["project", join(folder, ".mcp.json")],
  ]);
  expect(opened.hasChanged()).toBe(false);
  await writeFile(own, JSON.stringify({ coordinator: { policy: { preset: "locked" } } }));
  expect(opened.hasChanged()).toBe(true);
  expect((await opened.read())[1]).toMatchObject({ origin: "user", preset: "locked" });
  expect(opened.hasChanged()).toBe(false);
});

test("what is wrong in several files is said of all of them", async () => {
  const { files, managed, own } = await threeFiles();
  await writeFile(managed, JSON.stringify({ preset: "lax" }));
  await writeFile(own, JSON.stringify({ coordinator: { policy: { rules: [{ match: {}, action: "perhaps" }] } } }));
  const failure = await files().catch((error: Error) => error.message);
  expect(failure).toContain(managed);
  expect(failure).toContain(own);
});

async function threeFiles() {
  const home = join(folder, "home");
  await mkdir(home);
  const managed = join(folder, "managed.json");
  const main = {
    file: join(folder, ".mcp.json"),
    origin: "project" as const,
    policy: async () => ({ preset: "careful" as const, rules: [], trust: [] }),
  };
  const env = { MCP_COORDINATOR_HOME: home };
  return { managed, own: join(home, "config.json"), files: () => openPolicyFiles(main, { env, managed }) };
}
