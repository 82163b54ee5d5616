import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandFolders } from "./command-folders.ts";

let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "config-folders-"));
});
afterAll(() => rm(home, { recursive: true }));

test("PATH comes first, then our Node's folder, then the known folders that exist, the newest Node of nvm first", async () => {
  const versions = ["v9.11.2", "v20.19.0", "v20.9.0"].map((version) => `.nvm/versions/node/${version}/bin`);
  for (const folder of [...versions, ".local/bin", ".cargo/bin", ".volta/bin"]) {
    await mkdir(join(home, folder), { recursive: true });
  }
  const node = dirname(process.execPath);
  const system = new Set(["/opt/homebrew/bin", "/usr/local/bin"]);
  const path = `/first::relative:/second:/first:${join(home, ".cargo/bin")}`;
  const folders = commandFolders({ HOME: home, PATH: path }, "linux");
  expect(folders.filter((folder) => folder === node || !system.has(folder))).toEqual([
    "/first",
    "/second",
    join(home, ".cargo/bin"),
    node,
    join(home, ".nvm/versions/node/v20.19.0/bin"),
    join(home, ".volta/bin"),
    join(home, ".local/bin"),
  ]);
});

test("on Windows PATH is split at semicolons, and known folders that do not exist are left out", () => {
  const env = { Path: "C:\\bin;;bin;D:\\bin", APPDATA: "C:\\none", LOCALAPPDATA: "C:\\none" };
  expect(commandFolders(env, "win32")).toEqual(["C:\\bin", "D:\\bin", dirname(process.execPath)]);
});

test("without a PATH our Node's folder is the first", () => {
  expect(commandFolders({ HOME: home }, "linux")[0]).toBe(dirname(process.execPath));
});
