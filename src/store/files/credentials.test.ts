import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createCredentials } from "./credentials.ts";

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "mcp-credentials-")), "credentials");
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

const signIn = { url: "https://example.org/mcp", grants: {} };

test.skipIf(process.platform === "win32")("only the user can read it, whatever the folder was before", async () => {
  await createCredentials(folder).write(signIn);
  const [file] = readdirSync(folder).filter((name) => name.endsWith(".json"));
  expect(statSync(join(folder, file ?? "")).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("a damaged file is told by its path, and nothing of it", async () => {
  const credentials = createCredentials(folder);
  await credentials.write(signIn);
  const [file] = readdirSync(folder).filter((name) => name.endsWith(".json"));
  writeFileSync(join(folder, file ?? ""), '{"access_token":"sk-secret" oops');
  const error = await credentials.read(signIn.url).catch((thrown: Error) => thrown);
  expect(error).toMatchObject({
    code: "storage_unavailable",
    message: expect.stringContaining(`${file}: it is not JSON`),
  });
  expect(JSON.stringify([error, (error as Error).stack])).not.toContain("sk-secret");
});

test("work on one url is done by one at a time, though two have the folder open", async () => {
  const two = [createCredentials(folder), createCredentials(folder)];
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await new Promise((resolve) => setTimeout(resolve, 5));
    inside--;
  };
  await Promise.all(Array.from({ length: 6 }, (_, index) => two[index % 2]?.exclusively(signIn.url, work)));
  expect(most).toBe(1);
});

test.skipIf(process.platform === "win32")("a pipe in the place of a file is told, and not waited for", async () => {
  const credentials = createCredentials(folder);
  await credentials.write(signIn);
  const file = join(folder, readdirSync(folder).find((name) => name.endsWith(".json")) ?? "");
  rmSync(file);
  execFileSync("mkfifo", [file]);
  await expect(credentials.read(signIn.url)).rejects.toMatchObject({
    code: "storage_unavailable",
    message: `Cannot use ${file}: it is a named pipe, not a file`,
  });
});
