import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { longestStandstill } from "../../test/standstill.ts";
import { commitFolder } from "./commit.ts";
import { createGit, type Git } from "./git.ts";
import { createWorkspace, type Workspace } from "./workspace.ts";

let folder: string;
let root: string;
let workspace: Workspace;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "commit-"));
  root = join(folder, "root");
  mkdirSync(root);
  workspace = createWorkspace({ root, lockFolder: join(folder, "locks"), maxMb: 64, maxFiles: 1000 });
  return () => rmSync(folder, { recursive: true, force: true });
});
const realGit = (longestMs?: number): Git => createGit("/usr/bin/git", root, folder, longestMs);
const commit = (git: Git = realGit()) => commitFolder(git, workspace, { message: "all", init: true });

test("50,000 files hold up nobody else", async () => {
  const paths = Array.from({ length: 50_000 }, (_, index) => `${"folder/".repeat(1 + (index % 9))}file-${index}.ts`);
  const answers: Record<string, () => string> = {
    "ls-files": () => paths.join("\0"),
    "check-attr": () => paths.map((path) => `${path}\0filter\0unspecified\0`).join(""),
    "write-tree": () => "tree",
    "commit-tree": () => "commit",
    "diff-tree": () => paths.map((path) => `A\0${path}\0`).join(""),
  };
  const git: Git = async ([command = ""]) => ({ code: 0, stdout: answers[command]?.() ?? "", stderr: "" });
  const { result, longestMs } = await longestStandstill(() => commit(git));
  expect(result.files).toHaveLength(50_000);
  expect(longestMs).toBeLessThan(2000);
});

test("of what is closed the first folder on the way is named, once", async () => {
  const paths = [
    "a.ts",
    ".vscode/x",
    ".vscode/deep/y",
    "sub/.env",
    "sub/b.ts",
    "sub/.cursor/.env",
    "node_modules/c.js",
  ];
  expect(await workspace.findClosed(paths)).toEqual([".vscode", "sub/.env", "sub/.cursor"]);
});

test("git that takes too long is ended without leaving its lock: the next commit works", async () => {
  writeFileSync(join(root, "sparse.bin"), "");
  truncateSync(join(root, "sparse.bin"), 2 ** 40);
  await expect(commit(realGit(1500))).rejects.toThrow("git was ended: it took too long");
  expect(existsSync(join(root, ".git", "index.lock"))).toBe(false);
  rmSync(join(root, "sparse.bin"));
  writeFileSync(join(root, "a.txt"), "a");
  expect((await commit()).files).toEqual([{ path: "a.txt", change: "added" }]);
});

test("git that does not end when it is asked to is made to", async () => {
  const stubborn = join(folder, "git");
  writeFileSync(stubborn, "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 1; done\n", { mode: 0o755 });
  const { code } = await createGit(stubborn, root, folder, 200)(["status"]);
  expect(code).toBeNull();
});

test("a lock that another git left is told as what it is, with what to do", async () => {
  execFileSync("git", ["init", "--quiet"], { cwd: root });
  const lock = join(root, ".git", "index.lock");
  writeFileSync(lock, "");
  writeFileSync(join(root, "a.txt"), "a");
  await expect(commit()).rejects.toMatchObject({
    code: "commit_failed",
    message: `Cannot record the workspace: there is ${lock}. Another git is at work there, or one was ended in the middle of it`,
    hint: expect.stringContaining("remove that file"),
  });
});

test("leaves out unfinished files of ours, and nothing else", async () => {
  for (const name of [".mcp-coordinator-12-34-ab.tmp", "mcp-coordinator-1.tmp", "x.tmp"]) {
    writeFileSync(join(root, name), "x");
  }
  expect((await commit()).files.map(({ path }) => path)).toEqual(["mcp-coordinator-1.tmp", "x.tmp"]);
});
