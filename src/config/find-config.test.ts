import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findConfigFile } from "./find-config.ts";

let cwd: string;
let env: Record<string, string>;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "config-lookup-"));
  env = { MCP_COORDINATOR_HOME: join(cwd, "data") };
});
afterEach(() => rm(cwd, { recursive: true }));

async function write(name: string): Promise<void> {
  await mkdir(dirname(join(cwd, name)), { recursive: true });
  await writeFile(join(cwd, name), name);
}

test("each place comes before those after it, and a named file before all", async () => {
  const found = async (path?: string) => (await findConfigFile(path, cwd, env)).text;
  const order: string[] = [];
  for (const name of ["data/config.json", "mcp.json", ".mcp.json", "mcp_servers.json", "sub/env.json", "flag.json"]) {
    await write(name);
    if (name === "sub/env.json") env["MCP_SERVERS_CONFIG"] = name;
    order.push(await found(name === "flag.json" ? name : undefined));
  }
  expect(order).toEqual(["data/config.json", "mcp.json", ".mcp.json", "mcp_servers.json", "sub/env.json", "flag.json"]);
});

test("the answer names the file by its whole path; an empty MCP_SERVERS_CONFIG is none", async () => {
  await write("mcp.json");
  expect(await findConfigFile(undefined, cwd, { ...env, MCP_SERVERS_CONFIG: "" })).toEqual({
    file: join(cwd, "mcp.json"),
    text: "mcp.json",
    origin: "project",
  });
});

test("a named file that is not there is an error, even if another would be found", async () => {
  await write("mcp.json");
  await expect(findConfigFile("no.json", cwd, env)).rejects.toMatchObject({
    code: "config_not_found",
    message: `Cannot find the configuration file ${join(cwd, "no.json")}`,
  });
  await expect(
    findConfigFile(undefined, cwd, { ...env, MCP_SERVERS_CONFIG: "mcp.json/no.json" }),
  ).rejects.toMatchObject({
    code: "config_not_found",
    message: `Cannot find the configuration file ${join(cwd, "mcp.json/no.json")}, which MCP_SERVERS_CONFIG names`,
  });
});

test("when nothing is found, every place and the smallest file are told", async () => {
  const places = ["mcp_servers.json", ".mcp.json", "mcp.json", "data/config.json"].map((name) => join(cwd, name));
  await expect(findConfigFile(undefined, cwd, env)).rejects.toMatchObject({
    code: "config_not_found",
    message: ["Cannot find a configuration file. Tried:", ...places].join("\n  "),
    hint: expect.stringContaining('{ "mcpServers": { "everything": { "command": "npx", "args": ['),
  });
});

test("a place that cannot be read is an error, not a place to skip", async () => {
  await mkdir(join(cwd, "mcp_servers.json"));
  await write("mcp.json");
  await expect(findConfigFile(undefined, cwd, env)).rejects.toMatchObject({
    code: "config_invalid",
    message: expect.stringContaining(`Cannot use ${join(cwd, "mcp_servers.json")}: it is a folder`),
  });
});

test.skipIf(process.platform === "win32")(
  "a pipe or a device at a usual place is refused; a pipe that is named is read",
  async () => {
    execFileSync("mkfifo", [join(cwd, ".mcp.json")]);
    await expect(findConfigFile(undefined, cwd, env)).rejects.toMatchObject({
      code: "config_invalid",
      message: `Cannot use ${join(cwd, ".mcp.json")}: it is a named pipe, not a file`,
    });
    const found = findConfigFile(".mcp.json", cwd, env);
    await writeFile(join(cwd, ".mcp.json"), "{}");
    expect((await found).text).toBe("{}");
    await symlink("/dev/zero", join(cwd, "mcp_servers.json"));
    await expect(findConfigFile(undefined, cwd, env)).rejects.toMatchObject({
      message: `Cannot use ${join(cwd, "mcp_servers.json")}: it is a device, not a file`,
    });
  },
);

test("a file that is far too large is refused", async () => {
  await writeFile(join(cwd, "mcp.json"), " ".repeat(1_000_001));
  const size = findConfigFile(undefined, cwd, env).then(({ text }) => text.length);
  await expect(size).rejects.toMatchObject({
    code: "config_invalid",
    message: `Cannot use ${join(cwd, "mcp.json")}: it has more than 1000000 bytes`,
  });
});

test("UTF-8 and UTF-16 are taken, with a byte order mark", async () => {
  const texts: string[] = [];
  for (const encoding of ["utf8", "utf16le"] as const) {
    await writeFile(join(cwd, "mcp.json"), Buffer.from('\uFEFF{ "ä": 1 }\r\n', encoding));
    texts.push((await findConfigFile(undefined, cwd, env)).text);
  }
  expect(texts).toEqual(['{ "ä": 1 }\r\n', '{ "ä": 1 }\r\n']);
});
