import { expect, test } from "vitest";
import { pressSide, shortForm } from "./press-side.ts";

test.runIf(process.platform === "linux")(
  "nothing that a server says stops the gateway",
  { timeout: 300_000 },
  async () => {
    // Every field once; `npm run pressure` is the whole.
    const report = await pressSide("server", "stdio", shortForm);
    expect(report.failures).toEqual([]);
    expect(report.fields).toBeGreaterThan(500);
  },
);
