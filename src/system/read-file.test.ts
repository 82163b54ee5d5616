import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFileWithin, readFileWithinSync } from "./read-file.ts";

const folder = mkdtempSync(join(tmpdir(), "read-file-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);
const limits = { most: 1000, code: "config_invalid", hint: "Look at it." } as const;

beforeAll(() => {
  execFileSync("mkfifo", [at("pipe")]);
  symlinkSync("/dev/zero", at("zero"));
  mkdirSync(at("folder"));
  writeFileSync(at("sparse"), "");
  truncateSync(at("sparse"), 2 ** 40);
  writeFileSync(at("plain"), "text");
  symlinkSync("plain", at("link"));
});

const ways = [
  ["waiting", (name: string) => readFileWithin(at(name), limits)],
  ["in one go", async (name: string) => readFileWithinSync(at(name), limits)],
] as const;

describe.skipIf(process.platform === "win32").each(ways)("read %s", (_way, read) => {
  test.each([
    ["pipe", "it is a named pipe, not a file"],
    ["zero", "it is a device, not a file"],
    ["folder", "it is a folder, not a file"],
    ["sparse", "it has more than 1000 bytes"],
  ])("a %s is refused by what it is, and not waited for", async (name, why) => {
    await expect(read(name)).rejects.toMatchObject({
      code: "config_invalid",
      message: `Cannot use ${at(name)}: ${why}`,
      hint: "Look at it.",
    });
  });

  test("a file is read, by a link too, and the system's own errors stay as they are", async () => {
    expect((await read("plain")).toString()).toBe("text");
    expect((await read("link")).toString()).toBe("text");
    await expect(read("none")).rejects.toMatchObject({ code: "ENOENT" });
  });

  test.runIf(process.platform === "linux")("no descriptor stays open", async () => {
    const count = () => readdirSync("/proc/self/fd").length;
    await read("plain");
    const before = count();
    for (const name of ["pipe", "zero", "folder", "sparse", "plain"]) await read(name).catch(() => {});
    expect(count()).toBe(before);
  });
});

describe.skipIf(process.platform === "win32")("what the user has named", () => {
  const read = (name: string) => readFileWithin(at(name), { ...limits, alsoPipes: true });

  test("may be a pipe, whose writer comes later and takes its time", async () => {
    const reading = read("pipe");
    const writer = spawn("sh", ["-c", 'exec >"$0"; echo one; sleep 0.2; echo two', at("pipe")]);
    expect((await reading).toString()).toBe("one\ntwo\n");
    expect(writer.exitCode ?? 0).toBe(0);
  });

  test("may be a device, and may not be without end", async () => {
    expect(await readFileWithin("/dev/null", { ...limits, alsoPipes: true })).toHaveLength(0);
    const tooMuch = { message: expect.stringContaining("it has more than 1000 bytes") };
    await expect(read("zero")).rejects.toMatchObject(tooMuch);
    await expect(read("sparse")).rejects.toMatchObject(tooMuch);
    const writer = spawn("sh", ["-c", 'yes >"$0" 2>&1', at("pipe")]);
    await expect(read("pipe")).rejects.toMatchObject(tooMuch);
    await new Promise((resolve) => writer.once("close", resolve)); // nobody reads it any more
    await expect(read("folder")).rejects.toMatchObject({ message: expect.stringContaining("a folder") });
  });
});
