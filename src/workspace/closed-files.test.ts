import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { clients } from "../config/clients/clients.ts";
import type { GoverningFile } from "../config/governing-files.ts";
import { commitFolder } from "./commit.ts";
import { createGit } from "./git.ts";
import { createWorkspace, type Workspace } from "./workspace.ts";

let folder: string;
let root: string;
let own: GoverningFile[];
let workspace: Workspace;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "closed-"));
  root = join(folder, "root");
  mkdirSync(root);
  own = [];
  workspace = createWorkspace({
    root,
    lockFolder: join(folder, "locks"),
    maxMb: 64,
    maxFiles: 1000,
    ownFiles: () => own,
  });
  return () => rmSync(folder, { recursive: true, force: true });
});

const put = (path: string, text = "secret") => {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const endOf = (work: () => unknown): Promise<string> =>
  Promise.resolve()
    .then(work)
    .then(
      () => "done",
      (thrown: { code?: string }) => String(thrown.code ?? thrown),
    );
const everyWay = async (path: string): Promise<string[]> => [
  await endOf(() => workspace.read(path)),
  await endOf(() => workspace.write(path, "guest")),
  await endOf(() => workspace.append(path, "guest")),
  await endOf(() => workspace.write(path, "guest", { onlyNew: true })),
  await endOf(() => workspace.remove(path)),
];
const refusedEveryWay = Array(5).fill("file_refused");
const listed = async () => (await workspace.list()).entries.map(({ path }) => path);

describe("what governs others is closed", () => {
  const closed = [
    ...[".mcp.json", "mcp.json", "mcp_servers.json", "mcp-coordinator.lock.json", "packages/api/.mcp.json"],
    ...[".vscode/tasks.json", ".vscode/mcp.json", "sub/.vscode/settings.json", "team.code-workspace", ".idea/x.xml"],
    ...[".claude/settings.json", ".claude.json", ".cursor/mcp.json", ".codex/config.toml", ".gemini/settings.json"],
    ...[".zed/settings.json", ".windsurf/hooks.json", ".roo/mcp.json", ".continue/mcpServers/a.yaml", ".cline/x"],
    ...[".junie/mcp/mcp.json", ".kiro/settings/mcp.json", ".amazonq/mcp.json", ".devcontainer/devcontainer.json"],
    ...["opencode.json", "opencode.jsonc", ".opencode/plugins/a.ts", ".github/mcp.json", ".github/hooks/a.json"],
    ...["node_modules/a/.env", ".venv/.mcp.json"],
    ...[".env", ".env.local", ".env.production", ".envrc", ".npmrc", ".yarnrc.yml", ".husky/pre-commit", ".hg/hgrc"],
  ];

  test.each(closed)("%s: not read, written, made, removed or listed", async (path) => {
    expect(await everyWay(path)).toEqual(refusedEveryWay);
    expect(existsSync(join(root, path))).toBe(false);
    put(path);
    expect(await everyWay(path)).toEqual(refusedEveryWay);
    expect(readFileSync(join(root, path), "utf8")).toBe("secret");
    expect(await listed()).not.toContain(path);
  });

  test.each([
    ...[
      ".MCP.json",
      ".Mcp.Json",
      ".mcp.JSON",
      "MCP.JSON",
      ".ｍcp.json",
      ".mcp.j\u017fon",
      ".VSCode/tasks.json",
      ".EnV",
    ],
    ...[".mcp.json.", ".mcp.json ", "MCP~1.JSO", "MCP_SE~1.JSO", "VSCODE~1/tasks.json", ".mcp.json::$DATA"],
    ...[".mcp.json.backup", ".mcp.json~", ".mcp.json.swp", "..mcp.json.swp", "#.mcp.json#", ".#.mcp.json"],
    ...[".mcp.json.0e5b6f1c-aa", ".mcp.json___jb_tmp___", "mcp.json-old", ".claude.json.backup"],
  ])("%j, another spelling or a copy", async (path) => {
    expect(await everyWay(path)).toEqual(refusedEveryWay);
  });

  test.each([
    "mcp.ts",
    "my.json",
    "env",
    "env.ts",
    ".environment",
    "vscode/a.ts",
    "head.ts",
    "heads/HEADER",
    "claude.ts",
  ])("%s is a file like any other", async (path) => {
    expect(await everyWay(path)).toEqual(["file_unknown", "done", "done", "file_exists", "done"]);
  });

  test(".env.example is published, and open", async () => {
    expect(await everyWay(".env.example")).toEqual(["file_unknown", "done", "done", "file_exists", "done"]);
  });

  test("the answer says why, that nothing happened and who may", () => {
    const says = (path: string) => {
      try {
        return workspace.read(path).toString();
      } catch (thrown) {
        const { message, hint } = thrown as { message: string; hint: string };
        return `${message}. ${hint}`;
      }
    };
    expect(says(".mcp.json")).toBe(
      'The path ".mcp.json" is closed: mcp-coordinator goes by it, and it may hold secrets. Nothing was read or written. Only the user may change what programs outside the sandbox go by: in an editor, not from here.',
    );
    expect(says(".cursor/mcp.json")).toContain("is closed: Cursor goes by it");
  });

  test("every place in a project where a client that we know keeps servers", async () => {
    const system = { platform: "linux", home: "/home/me", env: {}, cwd: "/project" } as const;
    const places = clients.flatMap((client) => client.places(system)).filter(({ scope }) => scope === "project");
    expect(places.length).toBeGreaterThan(20);
    for (const { path } of places) {
      expect([path, ...(await everyWay(path.slice("/project/".length).replace("*", "x")))]).toEqual([
        path,
        ...refusedEveryWay,
      ]);
    }
  });

  test.each([
    "AGENTS.md",
    "sub/CLAUDE.md",
    "GEMINI.md",
    ".cursorrules",
    ".github/copilot-instructions.md",
    ".gitmodules",
  ])("%s: read and listed, and not changed", async (path) => {
    put(path);
    expect(await everyWay(path)).toEqual(["done", ...refusedEveryWay.slice(1)]);
    expect((await workspace.list({ folder: dirname(path) })).entries.map((entry) => entry.path)).toContain(path);
    expect(readFileSync(join(root, path), "utf8")).toBe("secret");
    await expect(workspace.write(path, "guest")).rejects.toThrow("can be read and not changed");
  });

  test("folders are not listed from inside", async () => {
    put(".vscode/tasks.json");
    put("open.txt");
    expect(await listed()).toEqual(["open.txt"]);
    expect(await endOf(() => workspace.list({ folder: ".vscode" }))).toBe("file_refused");
    expect(await endOf(() => workspace.list({ folder: ".VSCODE/" }))).toBe("file_refused");
    expect(await endOf(() => workspace.read("open.tx"))).toBe("file_unknown");
  });
});

describe("the file that is our configuration", () => {
  const configuration = (path: string): GoverningFile => ({ path: join(root, path), access: "none", why: "ours" });

  test("is closed wherever it lies and whatever it is called, with its copies", async () => {
    own = [configuration("conf/servers.jsonc")];
    for (const path of [
      "conf/servers.jsonc",
      "conf/Servers.JSONC",
      "conf/servers.jsonc.backup",
      "conf/servers.jsonc~",
    ]) {
      expect([path, ...(await everyWay(path))]).toEqual([path, ...refusedEveryWay]);
    }
    put("conf/servers.jsonc");
    put("conf/other.jsonc", "open");
    expect(await listed()).toEqual(["conf", "conf/other.jsonc"]);
    expect(workspace.read("conf/other.jsonc").toString()).toBe("open");
  });

  test("is closed under a hard link's name, also after an editor has put another file in its place", async () => {
    put("conf/servers.json");
    linkSync(join(root, "conf", "servers.json"), join(root, "alias.txt"));
    own = [configuration("conf/servers.json")];
    expect(await everyWay("alias.txt")).toEqual(refusedEveryWay);
    expect(await listed()).toEqual(["conf"]);
    put("conf/new", "new secret");
    renameSync(join(root, "conf", "new"), join(root, "conf", "servers.json"));
    linkSync(join(root, "conf", "servers.json"), join(root, "second.txt"));
    expect(await everyWay("second.txt")).toEqual(refusedEveryWay);
    expect(await everyWay("conf/servers.json")).toEqual(refusedEveryWay);
    expect(readFileSync(join(root, "second.txt"), "utf8")).toBe("new secret");
  });

  test("is closed when it takes a name in the moment in which that is opened", async () => {
    put("conf/servers.json");
    own = [configuration("conf/servers.json")];
    const program = `const { linkSync, renameSync, writeFileSync } = require("node:fs");
      const end = Date.now() + 1000;
      while (Date.now() < end) {
        writeFileSync("plain", "open");
        renameSync("plain", "name.txt");
        linkSync("conf/servers.json", "alias");
        renameSync("alias", "name.txt");
      }`;
    const swapper = spawn(process.execPath, ["-e", program], { cwd: root, stdio: "inherit" });
    const seen = new Set<string>();
    while (swapper.exitCode === null) {
      const reading = Promise.resolve().then(() => workspace.read("name.txt").toString());
      seen.add(await reading.catch(({ code }: { code: string }) => code));
      await workspace.append("name.txt", "").catch(() => {});
      await new Promise((turn) => setImmediate(turn));
    }
    expect(seen).not.toContain("secret");
    expect(seen).toContain("file_refused");
    expect(readFileSync(join(root, "conf", "servers.json"), "utf8")).toBe("secret");
  });

  test("outside the workspace is closed under a hard link's name inside", async () => {
    writeFileSync(join(folder, "config.json"), "secret");
    linkSync(join(folder, "config.json"), join(root, "alias.txt"));
    own = [{ ...configuration(""), path: join(folder, "config.json") }];
    expect(await everyWay("alias.txt")).toEqual(refusedEveryWay);
  });

  test("that is a link closes what it leads to, also when that is not there yet", async () => {
    symlinkSync("real/servers.json", join(root, "servers.json"));
    own = [configuration("servers.json")];
    expect(await everyWay("real/servers.json")).toEqual(refusedEveryWay);
    put("real/servers.json");
    expect(await everyWay("real/servers.json")).toEqual(refusedEveryWay);
  });

  test("that cannot be looked at closes everything", async () => {
    put("open.txt", "open");
    symlinkSync("around", join(folder, "around"));
    own = [{ ...configuration(""), path: join(folder, "around", "config.json") }];
    expect(await everyWay("open.txt")).toEqual(refusedEveryWay);
    expect(await endOf(() => workspace.list())).toBe("file_refused");
    expect(() => workspace.read("open.txt")).toThrow(
      /cannot be judged: a file of the configuration cannot be looked at/,
    );
  });

  test("a server's program can be read and not changed", async () => {
    put("servers/calc.mjs", "program");
    own = [{ path: join(root, "servers", "calc.mjs"), access: "read", why: 'the server "calc" is started from it' }];
    expect(await everyWay("servers/calc.mjs")).toEqual(["done", ...refusedEveryWay.slice(1)]);
    expect(readFileSync(join(root, "servers", "calc.mjs"), "utf8")).toBe("program");
    expect(await listed()).toContain("servers/calc.mjs");
  });
});

describe("git", () => {
  /** The files of a bare repository whose config has git run a command for its status. */
  const bare = (canary: string): [path: string, text: string][] => [
    ["docs/HEAD", "ref: refs/heads/main\n"],
    [
      "docs/config",
      `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "touch ${canary};false"\n`,
    ],
    ["docs/objects/x", ""],
    ["docs/refs/x", ""],
  ];
  const status = (cwd: string) => {
    try {
      execFileSync("git", ["status"], { cwd, stdio: "ignore", env: { PATH: process.env["PATH"], HOME: folder } });
    } catch {
      // not a repository
    }
  };

  test("takes a folder with those files for a repository, and runs the command", () => {
    const canary = join(folder, "canary");
    for (const [path, text] of bare(canary)) put(path, text);
    status(join(root, "docs"));
    expect(existsSync(canary)).toBe(true);
  });

  test.each([
    ["HEAD first", [0, 1, 2, 3]],
    ["HEAD last", [2, 3, 1, 0]],
    ["in the middle", [2, 0, 3, 1]],
  ])("runs nothing of what a guest wrote: %s", async (_name, order) => {
    const canary = join(folder, "canary");
    const files = bare(canary);
    const ends: string[] = [];
    for (const index of order) {
      const [path, text] = files[index] as [string, string];
      ends.push(`${path} ${await endOf(() => workspace.write(path, text))}`);
      status(join(root, "docs"));
    }
    expect(ends.filter((end) => !end.endsWith("done"))).toEqual(["docs/HEAD file_refused"]);
    await commitFolder(createGit("/usr/bin/git", root, folder), workspace, { message: "all", init: true });
    status(join(root, "docs"));
    status(root);
    expect(existsSync(canary)).toBe(false);
  });

  test.each([
    ["at the top", "HEAD"],
    ["in small letters", "docs/head"],
    ["with the rest elsewhere, by commondir", "docs/HEAD"],
  ])("HEAD is not made %s", async (_name, path) => {
    await workspace.write("docs/commondir", "../other\n");
    expect(await everyWay(path)).toEqual(["file_unknown", ...refusedEveryWay.slice(1)]);
    await expect(workspace.write(path, "x")).rejects.toThrow("makes a git repository of its folder");
  });

  test("a repository that is there, bare or apart from its files, is not entered", async () => {
    for (const [path, text] of bare(join(folder, "canary"))) put(path, text);
    put("apart/HEAD", "ref: refs/heads/main\n");
    put("apart/commondir", "../docs\n");
    for (const path of ["docs/config", "docs/hooks/pre-commit", "apart/config"]) {
      expect([path, ...(await everyWay(path))]).toEqual([path, ...refusedEveryWay]);
    }
    expect(await endOf(() => workspace.list({ folder: "docs" }))).toBe("file_refused");
    expect(existsSync(join(root, "docs", "hooks"))).toBe(false);
  });

  test("a commit leaves out what is closed, and keeps what of it was recorded by the user", async () => {
    const git = (...words: string[]) => execFileSync("git", words, { cwd: root, encoding: "utf8" });
    git("init", "--quiet");
    put("conf/mine.json", "recorded");
    git("add", "conf/mine.json");
    own = [{ path: join(root, "conf", "mine.json"), access: "none", why: "ours" }];
    for (const path of [".mcp.json", ".vscode/tasks.json", ".vscode/deep/x", ".env", "sub/.Env", "sub/open.txt"])
      put(path);
    put("conf/mine.json", "secret");
    linkSync(join(root, "conf", "mine.json"), join(root, "alias.txt"));
    put("AGENTS.md");
    const { files } = await commitFolder(createGit("/usr/bin/git", root, folder), workspace, { message: "all" });
    expect(files.map(({ path }) => path)).toEqual(["AGENTS.md", "conf/mine.json", "sub/open.txt"]);
    expect(git("show", "HEAD:conf/mine.json")).toBe("recorded");
    expect(git("grep", "-l", "secret", "HEAD").trim().split("\n")).toEqual(["HEAD:AGENTS.md", "HEAD:sub/open.txt"]);
  });
});
