import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test.runIf(process.platform === "linux")(
  "after 200 runs over servers that misbehave at random the gateway holds no more than before",
  () => {
    // The long one is `node scripts/soak.mjs`: 10,000 runs.
    const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/soak.mjs", "--runs", "200"], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(stdout).toContain("0 wrong answers");
    expect(status).toBe(0);
  },
  300_000,
);
