import { expect, test } from "vitest";
import type { Library, Tool } from "../catalog/tool.ts";
import { staleness, toolHash } from "./staleness.ts";

const tool = (name: string, properties: object, description = ""): Tool => {
  return { name, identifier: name, description, inputSchema: { type: "object", properties } };
};
const orders = tool("orders", { count: { type: "integer" }, from: { type: "string" } });
const saved = [{ server: "data", tool: "orders", hash: toolHash([orders]) }];
const now = (...tools: Tool[]) => ({
  isConfigured: (server: string) => server === "data",
  library: (): Library => ({ server: "data", module: "data", description: "", tools }),
});

test("the order of keys and the description are not a change", () => {
  const same = tool("orders", { from: { type: "string" }, count: { type: "integer" } }, "All orders");
  expect(staleness(saved, now(same, tool("other", {})))).toEqual([]);
});

test("a tool that takes something else, or is gone, or whose server is gone, is told", () => {
  expect(staleness(saved, now(tool("orders", { count: { type: "string" } })))).toEqual([
    '"orders" of "data" has changed what it takes',
  ]);
  expect(staleness(saved, now())).toEqual(['"data" has no tool "orders" any more']);
  expect(staleness([{ server: "gone", tool: "x", hash: "" }], now())).toEqual(['the server "gone" is not configured']);
});

test("a skill that imports a whole server depends on all of it", () => {
  const whole = [{ server: "data", tool: "*", hash: toolHash([orders]) }];
  expect(staleness(whole, now(orders))).toEqual([]);
  expect(staleness(whole, now(orders, tool("more", {})))).toEqual(['the tools of "data" have changed']);
});

test("nothing is said of a server that has not been asked yet", () => {
  expect(staleness(saved, { isConfigured: () => true, library: () => undefined })).toEqual([]);
});
