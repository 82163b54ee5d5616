import { expect, test } from "vitest";
import type { ClientField } from "./client-shots.ts";
import { clientBattery } from "./client-shots.ts";
import { press } from "./press.ts";

// The suite bites: a gateway that stands still over one input is found, and the input is named.

const field = (path: string): ClientField => ({
  operation: "list_tools",
  path,
  isName: false,
  longest: undefined,
  mayBeSilent: false,
  fill: (json) => json,
  messages: (wire, json) => [
    `{"jsonrpc":"2.0","id":${wire.nextId()},"method":"tools/call","params":{"name":"list_tools","arguments":{"server_name":${json}}}}`,
  ],
});
const shot = (path: string, unit: string) => ({
  name: path,
  of: path,
  field: field(path),
  recipe: { name: path, unit: JSON.stringify(unit), isJson: true as const, isFixed: true as const },
  size: 1,
});

test.runIf(process.platform === "linux")(
  "of six inputs at once, the one that stops the gateway for a second is named",
  { timeout: 280_000 },
  async () => {
    const shots = ["a", "b", "freeze me", "c", "d", "e"].map((unit, index) => shot(`input ${index}`, unit));
    const options = { together: 6, waitMs: 250, hangMs: 60_000, failuresPerField: 2, mostFailures: 5 };
    const { failures, pings } = await press(clientBattery("http", "test/pressure/freezing.mjs"), shots, options);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatch(/^client over http: input 2: a ping waits \d+ ms$/);
    expect(pings).toBeGreaterThan(5);
  },
);
