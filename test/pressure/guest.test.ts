import { expect, test } from "vitest";
import { pressSide, shortForm } from "./press-side.ts";

test.runIf(process.platform === "linux")(
  "nothing that a guest says stops the gateway",
  { timeout: 300_000 },
  async () => {
    // One input a field; `npm run pressure` is the whole.
    const report = await pressSide("guest", "http", shortForm);
    expect(report.failures).toEqual([]);
    expect(report.operations).toBeGreaterThan(35);
  },
);
