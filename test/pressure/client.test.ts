import { expect, test } from "vitest";
import { transports } from "./gateway-under-pressure.ts";
import { pressSide, shortForm } from "./press-side.ts";

// One input a field, half of the fields over each transport; `npm run pressure` is the whole.

test.runIf(process.platform === "linux").each(transports)(
  "over %s nothing that a client says stops the gateway",
  { timeout: 300_000 },
  async (transport) => {
    const half = transport === "stdio" ? 0 : 1;
    const report = await pressSide("client", transport, { ...shortForm, half });
    expect(report.failures).toEqual([]);
    expect(report.operations).toBeGreaterThan(50);
  },
);
