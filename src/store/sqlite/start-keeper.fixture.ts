import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { onTestFinished } from "vitest";

type Keeper = ChildProcessByStdio<Writable, Readable, null>;

/** Builds keeper.fixture.ts, below node_modules, so that the bundle finds libsql; answers what starts it, and removes it. */
export function buildKeeper() {
  const folder = fileURLToPath(
    new URL(`../../../node_modules/.tmp/keeper-${process.pid}-${Date.now()}`, import.meta.url),
  );
  const outfile = join(folder, "keeper.mjs");
  buildSync({
    entryPoints: [fileURLToPath(new URL("./keeper.fixture.ts", import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["libsql"],
  });
  const start = (job: string, home: string): Keeper =>
    spawn(process.execPath, [outfile, job, home], { stdio: ["pipe", "pipe", "inherit"] });
  return {
    start,
    /** Lets the job run until it has said so many lines, kills it in the middle of what it does, and answers the lines. */
    async killAfter(job: string, home: string, lines: number): Promise<string[]> {
      const child = start(job, home);
      let output = "";
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        output += chunk;
        if (output.split("\n").length > lines) setTimeout(() => child.kill("SIGKILL"), Math.random() * 5);
      });
      await once(child, "close");
      return output.split("\n").slice(0, -1);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "keeper-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
