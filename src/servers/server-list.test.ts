import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loadConfig } from "../config/load.ts";
import { createServerList, type ServerList } from "./server-list.ts";

let folder: string;
let file: string;
let list: ServerList | undefined;
let used: string[][];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "servers-"));
  file = join(folder, "mcp_servers.json");
  used = [];
});
afterEach(() => {
  list?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(text?: string): Promise<ServerList> {
  if (text !== undefined) writeFileSync(file, text);
  const source = await loadConfig({ path: file, mayBeMissing: true, env: { HOME: folder, SET: "1" } });
  list = createServerList(source, {
    lockFolder: join(folder, "locks"),
    use: (servers) => used.push(servers.map(({ name }) => name)),
  });
  return list;
}

const commented = `{
  // my servers
  "mcpServers": {
    "a": { "command": "a" }, // the first
  },
}
`;

test("a server is written among the others, comments stay, the previous file is kept, and it is in use", async () => {
  const servers = await open(commented);
  const written = await servers.change(new Map([["b", { command: "b", args: ["1"] }]]));
  expect(written).toEqual({ file, backup: `${file}.backup` });
  expect(readFileSync(file, "utf8")).toContain("// the first");
  expect(readFileSync(`${file}.backup`, "utf8")).toBe(commented);
  expect(used).toEqual([["a", "b"]]);
  await servers.change(new Map([["a", undefined]]));
  expect(Object.keys(await servers.entries())).toEqual(["b"]);
  expect(used.at(-1)).toEqual(["b"]);
});

test("a look at the file that began before our own change does not undo it", async () => {
  writeFileSync(file, commented);
  const source = await loadConfig({ path: file, env: { HOME: folder } });
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let looks = 0;
  const slow = { ...source, text: async () => heldBack(await source.text()) };
  const heldBack = async (text: string | undefined) => {
    if (looks++ === 0) await held;
    return text;
  };
  list = createServerList(slow, {
    lockFolder: join(folder, "locks"),
    use: (servers) => used.push(servers.map(({ name }) => name)),
  });
  const said: string[] = [];
  list.follow((message) => said.push(message));
  await vi.waitFor(() => expect(looks).toBe(1), 10_000);
  await list.change(new Map([["b", { command: "b" }]]));
  release();
  await vi.waitFor(() => expect(looks).toBeGreaterThan(2), 10_000);
  expect([used, said, list.current.map(({ name }) => name)]).toEqual([[["a", "b"]], [], ["a", "b"]]);
});

test("without a file one is made, for the user alone", async () => {
  const servers = await open();
  expect(await servers.entries()).toEqual({});
  expect(await servers.change(new Map([["b", { command: "b" }]]))).toEqual({ file });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("who may read the file stays, until it holds a secret", async () => {
  const servers = await open(commented);
  chmodSync(file, 0o644);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how configurations refer to variables
  await servers.change(new Map([["b", { command: "b", env: { SET: "${SET}" } }]]));
  expect(statSync(file).mode & 0o777).toBe(0o644);
  await servers.change(new Map([["c", { command: "c", env: { KEY: "sk-1" } }]]));
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a link stays one, and what it points to is changed", async () => {
  const target = join(folder, "elsewhere.json");
  writeFileSync(target, commented);
  symlinkSync(target, file);
  const servers = await open();
  await servers.change(new Map([["b", { command: "b" }]]));
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, "utf8")).toContain('"b"');
});

test("VS Code's key is kept", async () => {
  const servers = await open('{ "servers": { "a": { "type": "stdio", "command": "a" } } }');
  await servers.change(new Map([["b", { command: "b" }]]));
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    servers: { a: { type: "stdio", command: "a" }, b: { command: "b" } },
  });
});

test("what the file could not be used with is not written", async () => {
  const servers = await open(commented);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how configurations refer to variables
  const unset = servers.change(new Map([["b", { command: "b", env: { A: "${NOT_SET}" } }]]));
  await expect(unset).rejects.toThrow(/NOT_SET is not set/);
  expect(readFileSync(file, "utf8")).toBe(commented);
  expect(used).toEqual([]);
});

test("a change by somebody else is taken over; one that cannot be used is told of once, and the last good one stays", async () => {
  const servers = await open(commented);
  const told: string[] = [];
  servers.follow((message) => told.push(message));
  const write = (text: string) => writeFileSync(file, text);

  write('{ "mcpServers": { "a": { "command": "a" }, "n": { "command": "n" } } }');
  await vi.waitFor(() => expect(used).toEqual([["a", "n"]]), { timeout: 10_000 });
  expect(told).toEqual([`${file}: added n`]);

  write('{ "mcpServers": { "a": ');
  await vi.waitFor(() => expect(told).toHaveLength(2), { timeout: 10_000 });
  expect(told[1]).toMatch(/line 1[\s\S]*The servers stay as they were/);
  write('{ "mcpServers": { "a": '); // the same, at another time
  rmSync(file);
  await vi.waitFor(() => expect(told).toHaveLength(3), { timeout: 10_000 });
  expect(told[2]).toMatch(/is no longer there/);
  expect(servers.current.map(({ name }) => name)).toEqual(["a", "n"]);

  write('{ "mcpServers": { "a": { "command": "other" } }, "coordinator": { "output": { "maxTokens": 9 } } }');
  await vi.waitFor(() => expect(used).toHaveLength(2), { timeout: 10_000 });
  expect(told[3]).toBe(`${file}: changed a; removed n; other settings count from the next start`);
});

test.skipIf(process.platform === "win32")(
  "a file that has become a pipe is told of, and nothing waits for it",
  async () => {
    const servers = await open(commented);
    const told: string[] = [];
    servers.follow((message) => told.push(message));
    rmSync(file);
    execFileSync("mkfifo", [file]);
    const why = `Cannot use ${file}: it is a named pipe, not a file`;
    await vi.waitFor(() => expect(told).toEqual([why]), { timeout: 10_000 });
    await expect(servers.entries()).rejects.toThrow(why);
    expect(servers.current.map(({ name }) => name)).toEqual(["a"]);
  },
);

test.skipIf(process.platform === "win32")("what came by a pipe is as it was read", async () => {
  execFileSync("mkfifo", [file]);
  const opening = open();
  await writeFile(file, commented);
  const servers = await opening;
  expect(servers.current.map(({ name }) => name)).toEqual(["a"]);
  expect(await servers.entries()).toEqual({ a: { command: "a" } });
});

test("a file that is still being written is not taken for a wrong one", async () => {
  const servers = await open(commented);
  const told: string[] = [];
  servers.follow((message) => told.push(message));
  const whole = '{ "mcpServers": { "slow": { "command": "s" } } }';
  const parts = [whole.slice(0, 20), whole.slice(0, 30), whole];
  for (const part of parts) {
    writeFileSync(file, part);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  await vi.waitFor(() => expect(used).toEqual([["slow"]]), { timeout: 10_000 });
  expect(told).toEqual([`${file}: added slow; removed a`]);
});
