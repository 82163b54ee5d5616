import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import * as module from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

// The real command, started by a shell that takes no right away from new files.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "coordinator-modes-"));
  writeFileSync(join(folder, "config.json"), JSON.stringify({ mcpServers: {} }));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const command = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
function coordinator(args: readonly string[], input = ""): string {
  const words = [process.execPath, command, ...args, "--config", join(folder, "config.json")];
  return execFileSync("/bin/sh", ["-c", 'umask 000; exec "$@"', "sh", ...words], {
    input,
    encoding: "utf8",
    env: { ...process.env, MCP_COORDINATOR_HOME: join(folder, "home") },
  });
}

test("where the user's umask is 000, others can still write to nothing that the coordinator makes", () => {
  const keep = `import { artifacts, memory, skills, workspace } from "coordinator";
await workspace.write("w/deep/file.txt", "text");
await artifacts.save("a.txt", "text");
await memory.set("key", 1);
await skills.save("one", "/** Gives one. */\\nexport function one(): number { return 1 }");
1`;
  expect(coordinator(["run", "-"], keep)).toContain("1");
  expect(
    coordinator(
      ["run", "-", "--language", "python"],
      "from coordinator import workspace\nworkspace.write('p/x', 'y')\n2",
    ),
  ).toContain("2");
  const home = join(folder, "home");
  const names = ["", ...readdirSync(home, { recursive: true, encoding: "utf8" })];
  expect(names).toEqual(expect.arrayContaining(["workspace/w/deep/file.txt", "workspace/p/x"]));
  expect(names.includes("cache/compiled")).toBe("enableCompileCache" in module);
  const open = names.filter((name) => {
    const stat = lstatSync(join(home, name));
    return !stat.isSymbolicLink() && (stat.mode & 0o022) !== 0;
  });
  expect(open).toEqual([]);
});

test("a data folder that others can write to is told by doctor, with the fix", () => {
  const home = join(folder, "home");
  mkdirSync(home);
  chmodSync(home, 0o777);
  expect(coordinator(["doctor"])).toMatch(/warn {2}storage: .*others can write to.*\n\s+fix: chmod 700/);
  chmodSync(home, 0o700);
  expect(coordinator(["doctor"])).not.toContain("others can write to");
});
