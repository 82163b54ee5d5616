import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openToken } from "./token.ts";

const createHome = () => mkdtempSync(join(tmpdir(), "http-token-"));

test("is made once, for the user alone, also by several that start together", async () => {
  const home = createHome();
  const opened = await Promise.all(Array.from({ length: 8 }, () => openToken(home)));
  const made = opened.flatMap((token) => token.made ?? []);
  expect(made).toHaveLength(1);
  expect(made[0]).toMatch(/^[\w-]{43}$/);
  expect(readdirSync(home)).toEqual(["http-token"]);
  const file = join(home, "http-token");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toBe(`${made[0]}\n`);
  expect(opened.every((token) => token.isIn(`Bearer ${made[0]}`))).toBe(true);
});

test.each([
  ["Bearer {}", true],
  ["bearer  {} ", true],
  ["Bearer {}x", false],
  ["Bearer x{}", false],
  ["Bearer {} {}", false],
  ["Basic {}", false],
  ["{}", false],
  ["Bearer ", false],
  ["Bearer", false],
  [undefined, false],
])("in the header %j: %s", async (header, isIn) => {
  const home = createHome();
  const { made = "" } = await openToken(home);
  const token = await openToken(home);
  expect(token.made).toBeUndefined();
  expect(token.isIn(header?.replaceAll("{}", made))).toBe(isIn);
});

test("may be the user's own", async () => {
  const home = createHome();
  writeFileSync(join(home, "http-token"), " a-token-of-at-least-20 \n", { mode: 0o600 });
  expect((await openToken(home)).isIn("Bearer a-token-of-at-least-20")).toBe(true);
});

test.each([
  ["that others may read", 0o640, "a-token-of-at-least-20", "Other users can read"],
  ["that is too short", 0o600, "secret", "holds no usable token"],
  ["of two words", 0o600, "a-token-of-at-least 20-letters", "holds no usable token"],
])("one %s is refused, without being told", async (_what, mode, token, message) => {
  const home = createHome();
  writeFileSync(join(home, "http-token"), token);
  chmodSync(join(home, "http-token"), mode);
  const refused = await openToken(home).catch((thrown) => thrown);
  expect(refused).toMatchObject({ code: "storage_unavailable", message: expect.stringContaining(message) });
  expect(refused.message + refused.hint).not.toContain(token);
});

test.skipIf(process.platform === "win32")("a pipe in its place is refused, and not waited for", async () => {
  const home = createHome();
  execFileSync("mkfifo", ["-m", "600", join(home, "http-token")]);
  await expect(openToken(home)).rejects.toMatchObject({
    code: "storage_unavailable",
    message: `Cannot use ${join(home, "http-token")}: it is a named pipe, not a file`,
  });
});
