import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("../../scripts/conformance.mjs", import.meta.url));

it("our client passes every required scenario of the conformance suite", async () => {
  const run = promisify(execFile)(process.execPath, [script, "--client"]);
  const { stdout } = await run.catch((failed: { stdout: string; stderr: string }) => ({
    stdout: failed.stdout + failed.stderr,
  }));
  expect(stdout).toBe(
    "client 2025-11-25: 18 of 18 required scenarios pass\nclient 2026-07-28: 32 of 32 required scenarios pass\n",
  );
}, 600_000);
