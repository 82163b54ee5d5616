import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "orphan-"));
const program = join(folder, "program.mjs");
buildSync({
  stdin: {
    contents: `
      import { onOrphaned } from "./orphan.ts";
      console.log("started");
      process.stdin.resume();
      onOrphaned(process.stdin, () => { console.log("orphaned"); process.exit(); }, { checkMs: 50, silentMs: 600 });`,
    resolveDir: fileURLToPath(new URL(".", import.meta.url)),
    loader: "ts",
  },
  outfile: program,
  bundle: true,
  format: "esm",
  platform: "node",
});
afterAll(() => rmSync(folder, { recursive: true }));

test.skipIf(process.platform === "win32")(
  "F28 a program whose parent is gone ends by itself once its input, which we hold open, is silent",
  async () => {
    // The shell goes and its child stays, on a pipe that is ours.
    const shell = spawn("/bin/sh", ["-c", '"$0" "$1" <&3 & read -r _', process.execPath, program], {
      stdio: ["pipe", "pipe", "inherit", "pipe"],
    });
    const input = shell.stdio[3] as Writable;
    const lines = createInterface({ input: shell.stdout as Readable });
    const told: string[] = [];
    lines.on("line", (line) => told.push(line));
    await once(lines, "line");
    await delay(800);
    expect(told).toEqual(["started"]); // silent, but its parent is there
    shell.stdin?.end();
    await once(shell, "exit");
    const began = performance.now();
    // Whoever still speaks is served.
    for (let spoken = 0; spoken < 5; spoken++) {
      input.write("still here\n");
      await delay(200);
    }
    expect(told).toEqual(["started"]);
    await once(lines, "close");
    expect(told).toEqual(["started", "orphaned"]);
    expect(performance.now() - began).toBeLessThan(20_000);
    input.destroy();
  },
);
