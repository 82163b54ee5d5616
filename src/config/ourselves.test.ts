import { expect, test } from "vitest";
import { startsOurselves } from "./ourselves.ts";

test.each<[entry: Record<string, unknown>, ourselves: boolean]>([
  [{ command: "mcp-coordinator" }, true],
  [{ command: "/usr/local/bin/mcp-coordinator", args: ["serve"] }, true],
  [{ command: "C:\\npm\\mcp-coordinator.cmd" }, true],
  [{ command: "npx", args: ["-y", "mcp-coordinator"] }, true],
  [{ command: "npx", args: ["mcp-coordinator@0.1.0", "serve"] }, true],
  [{ command: "npx", args: ["--package=mcp-coordinator", "x"] }, true],
  [{ command: "npx", args: ["github:someone/mcp-coordinator"] }, true],
  [{ command: "node", args: ["/app/node_modules/.bin/mcp-coordinator"] }, true],
  [{ command: "node", args: ["/src/mcp-coordinator/dist/cli.js"] }, true],
  [{ command: "npx", args: ["-y", "server-filesystem", "/home/me/mcp-coordinator"] }, false],
  [{ command: "npx", args: ["-y", "server-filesystem", "C:\\src\\mcp-coordinator"] }, false],
  [{ command: "npx", args: ["my-mcp-coordinator"] }, false],
  [{ command: "mcp-coordinator-lite", args: ["mcp-coordinator-lite@1"] }, false],
  [{ command: 1, args: "mcp-coordinator" }, false],
  [{ url: "https://example.org/mcp-coordinator" }, false],
])("%j: %s", (entry, ourselves) => {
  expect(startsOurselves(entry)).toBe(ourselves);
});
