import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "./load.ts";
import { workspaceRootProblem } from "./workspace-root.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "workspace-root-")));
afterAll(() => rmSync(top, { recursive: true, force: true }));
let folder: string;
let number = 0;
beforeEach(() => {
  folder = join(top, `case-${++number}`);
  mkdirSync(join(folder, "user", "data"), { recursive: true });
});

/** A user's folder `user`, in it the data folder `data`; paths of the test are below the folder of the case. */
const problem = (root: string, { skills = "user/data/skills", home = "user/data" } = {}) => {
  const at = (path: string) => join(folder, path);
  return workspaceRootProblem({ root: at(root), home: at(home), skills: at(skills), userHome: at("user") });
};

describe("a workspace may be", () => {
  test.each(["user/data/workspace", "user/project", "elsewhere/not/there/yet", "user/database"])("%s", (root) => {
    expect(problem(root)).toBeUndefined();
  });

  test("our own folder, wherever the data are", () => {
    expect(problem("user/.claude/data/workspace", { home: "user/.claude/data", skills: "s" })).toBeUndefined();
  });

  test("a client's checkout of a project", () => {
    expect(problem("user/.claude/worktrees/feature")).toBeUndefined();
  });
});

describe("a workspace may not be", () => {
  test.each([
    ["the data folder", "user/data", /is or holds the data folder .*data.*Choose a folder beside it/],
    ["above the data folder", "user/data/..", /is or holds the data folder/],
    ["in the data folder", "user/data/artifacts", /lies in the data folder .*Leave "root" out/],
    ["below our own folder", "user/data/workspace/sub", /lies in the data folder/],
    ["the top", "../../../../../../..", /is or holds the data folder/],
    ["git's own folder", "project/.git/hooks", /go by: .*\.git\. Choose a folder outside/],
    ["git's own folder, in capitals", "project/.GIT", /go by/],
    ["a client's folder", "project/.vscode", /go by: .*\.vscode/],
    ["below a client's folder", "project/.claude/commands", /go by: .*\.claude/],
  ])("%s", (_name, root, text) => {
    expect(problem(root)).toMatch(text);
  });

  test("the user's home, or what holds it, also when the data are elsewhere", () => {
    const elsewhere = { home: "data", skills: "data/skills" };
    expect(problem("user", elsewhere)).toMatch(/is or holds your home folder .*user.*choose a folder below it/);
    expect(problem("user/project", elsewhere)).toBeUndefined();
    expect(workspaceRootProblem({ root: "/", home: "/d", skills: "/d/skills", userHome: "/home/me" })).toMatch(/holds/);
  });

  test("where the skills are, above it or below", () => {
    expect(problem("files", { skills: "files/skills" })).toMatch(
      /files and the folder of skills must lie apart: .*skills/,
    );
    expect(problem("files", { skills: "files" })).toMatch(/must lie apart/);
    expect(problem("files/below", { skills: "files" })).toMatch(/must lie apart/);
    expect(problem("files", { skills: "files-of-skills" })).toBeUndefined();
  });

  test("any of these by a link, also one that leads to what is not there yet", () => {
    symlinkSync(join(folder, "user", "data"), join(folder, "link"));
    symlinkSync(join(folder, "user", "data", "new"), join(folder, "dangling"));
    symlinkSync(join(folder, "user"), join(folder, "home"));
    expect(problem("link")).toMatch(/is or holds the data folder/);
    expect(problem("link/artifacts")).toMatch(/lies in the data folder/);
    expect(problem("dangling")).toMatch(/lies in the data folder/);
    expect(problem("home/data/../..")).toMatch(/is or holds the data folder/);
    symlinkSync(join(folder, "elsewhere"), join(folder, "user", "data", "workspace"));
    expect(problem("user/data/workspace")).toBeUndefined();
    mkdirSync(join(folder, "other"));
    symlinkSync("../user/data", join(folder, "other", "workspace"));
    expect(problem("other/workspace")).toMatch(/is or holds the data folder/);
  });

  test("a bare repository, or in one", () => {
    mkdirSync(join(folder, "repository", "objects"), { recursive: true });
    mkdirSync(join(folder, "repository", "refs"));
    writeFileSync(join(folder, "repository", "HEAD"), "ref: refs/heads/main\n");
    expect(problem("repository")).toMatch(/go by: .*repository/);
    expect(problem("repository/hooks")).toMatch(/go by/);
  });

  test("a place that cannot be looked at", () => {
    symlinkSync(join(folder, "around"), join(folder, "around"));
    expect(problem("around/files")).toMatch(/cannot be judged: ELOOP/);
  });
});

test("the configuration is refused with both paths, the line and the fix", () => {
  const file = join(folder, "mcp_servers.json");
  const env = { HOME: join(folder, "user"), MCP_COORDINATOR_HOME: join(folder, "project", "data") };
  const read = (coordinator: object) => () => readConfig(JSON.stringify({ coordinator }, null, 2), file, env);
  expect(read({ workspace: { root: "project" } })).toThrow(
    expect.objectContaining({
      code: "config_invalid",
      message: expect.stringMatching(
        `coordinator.workspace.root: ${folder}/project is or holds the data folder ${folder}/project/data. .* \\(line 4\\)`,
      ),
    }),
  );
  expect(read({ skills: { folder: "project/data/workspace/skills" } })).toThrow(
    /coordinator\.skills\.folder: .*workspace and the folder of skills must lie apart: .*workspace\/skills/,
  );
  expect(read({ workspace: { root: "." }, skills: { folder: "./skills" } })).toThrow(/holds the data folder/);
  expect(read({ workspace: { root: "files" } })()).toMatchObject({ workspace: { root: join(folder, "files") } });
});
