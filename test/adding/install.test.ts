import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { local } from "../../src/actor.ts";
import { loadConfig } from "../../src/config/load.ts";
import { type Imported, importServers } from "../../src/operations/registry/import-servers.ts";
import { installClient } from "../../src/operations/registry/install-client.ts";
import type { Services } from "../../src/operations/services.ts";
import { createServerList } from "../../src/servers/server-list.ts";
import { clientFiles, writeClientFiles } from "./client-files.ts";

const home = mkdtempSync(join(tmpdir(), "clients-"));
let services: Services;

beforeAll(async () => {
  vi.stubEnv("HOME", home);
  for (const name of ["XDG_CONFIG_HOME", "CODEX_HOME", "MCP_SERVERS_CONFIG"]) vi.stubEnv(name, "");
  writeClientFiles(home);
  const source = await loadConfig({ path: join(home, "config.json"), mayBeMissing: true });
  const servers = createServerList(source, { lockFolder: join(home, "locks"), use() {} });
  services = { servers } as Services;
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

const install = (client: string, options: object = {}) => installClient(services).run({ client, ...options }, local);
const states = async (client: string) => {
  const { servers } = (await importServers(services).run({ client }, local)) as Imported;
  return new Map(servers.map(({ name, state }) => [name, state]));
};

describe.each(Object.entries(clientFiles))("%s", (client, [path, before]) => {
  const file = join(home, path);
  const read = () => readFileSync(file, "utf8");
  const comments = before.match(/(?:#|\/\/) \w+/g) ?? [];
  const own = client === "cursor" ? "coordinator" : "mcp-coordinator";

  test("gets us in its own format, with its own servers and comments as they were", async () => {
    const { diff, written } = await install(client);
    expect(diff).toMatch(/^\+/m);
    expect(written).toEqual({ file, backup: `${file}.backup` });
    expect(readFileSync(`${file}.backup`, "utf8")).toBe(before);
    const found = await states(client);
    expect(found.get(own)).toBe("ourselves");
    expect(found.has(client)).toBe(true);
    for (const comment of comments) expect(read()).toContain(comment);
  });

  test("is not written again when nothing changes, nor for a look", async () => {
    const now = read();
    expect(await install(client)).toMatchObject({ diff: "" });
    const { diff, written } = await install(client, { uninstall: true, dry_run: true });
    expect(diff).not.toBe("");
    expect(written).toBeUndefined();
    expect(read()).toBe(now);
  });

  test("loses us again, and nothing else", async () => {
    await install(client, { uninstall: true });
    // Cursor's had us from the beginning.
    if (own === "mcp-coordinator") expect(read()).toBe(before);
    const found = await states(client);
    expect([...found.values()]).not.toContain("ourselves");
    expect(found.has(client)).toBe(true);
    for (const comment of comments) expect(read()).toContain(comment);
    expect(await install(client, { uninstall: true })).toMatchObject({ diff: "" });
  });
});

test("a diff shows no value of others, even of a file that is laid out differently", async () => {
  const { diff } = await install("cursor", { dry_run: true });
  expect(diff).not.toContain("hush-hush-1");
  const file = join(home, clientFiles["cursor"]?.[0] ?? "");
  const before = readFileSync(file, "utf8");
  writeFileSync(file, '{"gh":{"TOKEN":"hush-hush-2"},"TOKEN":"hush-hush-3"}');
  const anew = await install("cursor", { dry_run: true });
  writeFileSync(file, before);
  expect(anew.diff).toContain('"mcp-coordinator": {');
  expect(anew.diff).toMatch(/^\+.*TOKEN/m);
  expect(anew.diff).not.toContain("hush-hush");
});

const holding = { theme: "dark", mcpServers: { a: { command: "a", args: ["b"] } }, last: [] };
const without = { numStartups: 3, projects: { "/p": {} } };
const oneLine = (value: object) => JSON.stringify(value, undefined, 1).replace(/\n */g, " ");
const writings: [name: string, write: (value: object) => string][] = [
  ["one tight line", JSON.stringify],
  ["one tight line and its end", (value) => `${JSON.stringify(value)}\n`],
  ["one line with spaces", oneLine],
  ["two spaces", (value) => `${JSON.stringify(value, undefined, 2)}\n`],
  ["four spaces, no end of the last line", (value) => JSON.stringify(value, undefined, 4)],
  ["tabs", (value) => `${JSON.stringify(value, undefined, "\t")}\n`],
  ["CRLF", (value) => `${JSON.stringify(value, undefined, 2)}\n`.replaceAll("\n", "\r\n")],
  ["a byte order mark", (value) => `\uFEFF${JSON.stringify(value, undefined, 2)}\n`],
];
const client = "claude-desktop";
const file = join(home, clientFiles[client]?.[0] ?? "");
const contentOf = () => JSON.parse(readFileSync(file, "utf8").replace("\uFEFF", "")) as object;

describe.each(writings)("a file in %s", (_name, write) => {
  test.each([
    ["servers", holding],
    ["no key for servers", without],
    ["an empty one", { ...without, mcpServers: {} }],
  ])("with %s stays so, and is byte for byte what it was when we are gone", async (_what, content) => {
    writeFileSync(file, write(content));
    await install(client);
    expect(contentOf()).toMatchObject({ ...content, mcpServers: { "mcp-coordinator": { command: process.execPath } } });
    expect(readFileSync(file, "utf8")).toBe(write(contentOf()));
    await install(client, { uninstall: true });
    expect(readFileSync(file, "utf8")).toBe(write(content));
  });

  test("that the client has written since keeps what that changed", async () => {
    writeFileSync(file, write(without));
    await install(client);
    writeFileSync(file, write({ ...contentOf(), numStartups: 4 }));
    await install(client, { uninstall: true });
    expect(readFileSync(file, "utf8")).toBe(write({ ...without, numStartups: 4, mcpServers: {} }));
  });
});

test.each(["", "{}", "{ }\n", "{\n}", '{ "mcpServers": { } }', '{"mcpServers":{\n}}\n', "{ // none\n}\n"])(
  "a file with nothing in it but %j is that again when we are gone",
  async (before) => {
    writeFileSync(file, before);
    await install(client);
    await install(client);
    await install(client, { uninstall: true });
    expect(readFileSync(file, "utf8")).toBe(before);
  },
);

test("a backup of another time gives nothing back", async () => {
  writeFileSync(file, JSON.stringify(holding));
  await install(client);
  for (const backup of [JSON.stringify(without), "{ broken"]) {
    writeFileSync(`${file}.backup`, backup);
    await install(client, { uninstall: true });
    expect(contentOf()).toEqual(holding);
    await install(client);
  }
});
