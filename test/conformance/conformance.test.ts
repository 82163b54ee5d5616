import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("../../scripts/conformance.mjs", import.meta.url));

it("servers pass every required scenario of the conformance suite when seen through the coordinator", async () => {
  const run = promisify(execFile)(process.execPath, [script, "--server"]);
  const { stdout } = await run.catch((failed: { stdout: string; stderr: string }) => ({
    stdout: failed.stdout + failed.stderr,
  }));
  expect(stdout).toBe(
    "server 2025-11-25: 30 of 30 required scenarios pass\nserver 2026-07-28: 37 of 37 required scenarios pass\n",
  );
}, 300_000);
