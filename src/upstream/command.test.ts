import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findCommand, withCommandFolder } from "./command.ts";
import { nodeServer } from "./test-servers.fixture.ts";

let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "command-"));
  program = join(folder, "program");
  await writeFile(program, "#!/bin/sh\n");
  await chmod(program, 0o755);
  await writeFile(join(folder, "data"), "no program");
});

afterAll(() => rm(folder, { recursive: true }));

const find = (command: string, cwd?: string) =>
  findCommand({ ...nodeServer(), name: "github", command, ...(cwd && { cwd }) }, ["/no/such/folder", folder]);

describe.runIf(process.platform !== "win32")("a command", () => {
  test("is looked for in the folders", () => expect(find("program")).toBe(program));

  test("with a slash is a path, relative to the working folder of the server", () => {
    expect(find(program)).toBe(program);
    expect(find("./program", folder)).toBe(program);
  });

  test.each([
    [
      "npx",
      /^Install Node.js, which brings npx, or write the full path as "command". It was looked for in: \/no\/such\/folder, /,
    ],
    ["uvx", /^Install uv, which brings uvx, /],
    ["constructor", /^Install it, or write the full path/],
    ["data", /^Install it, or write the full path/],
    ["program --flag x", /^A command is one program. Write "command": "program" and put the rest into "args".$/],
    ["./missing", /^There is no file \//],
  ])("that is not found says how to correct it: %s", (command, hint) => {
    expect(() => find(command)).toThrow(
      expect.objectContaining({
        code: "server_start_failed",
        server: "github",
        delivery: "not_sent",
        message: `Cannot start upstream "github": command not found: ${command}`,
        hint: expect.stringMatching(hint),
      }),
    );
  });

  test("that is a file but no program says so", () => {
    expect(() => find("./data", folder)).toThrow(
      expect.objectContaining({ hint: `${join(folder, "data")} is not executable: chmod +x it.` }),
    );
  });
});

test.each([
  [{ PATH: "/usr/bin" }, { PATH: ["/usr/bin", "/opt/node"].join(delimiter) }],
  [{ PATH: ["/opt/node", "/usr/bin"].join(delimiter) }, { PATH: ["/opt/node", "/usr/bin"].join(delimiter) }],
  [{}, { PATH: "/opt/node" }],
  [{ PATH: "" }, { PATH: "/opt/node" }],
])("the folder of the command is on the path of the child: %o", (env, extended) => {
  expect(withCommandFolder(env, "/opt/node/npx")).toEqual(extended);
});
