import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHome, server } from "./connect.ts";
import { type HttpGateway, serveHttp } from "./http-gateway.ts";

let gateway: HttpGateway;
beforeAll(async () => {
  gateway = await serveHttp(createHome({ data: server("data-server") }));
});
afterAll(() => gateway[Symbol.asyncDispose]());

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "hand", version: "1" } },
};
const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };

describe.each([
  ["2025-11-25", false],
  ["2026-07-28", true],
])("a client of %s", (version, modern) => {
  test("runs code", async () => {
    await using connected = await gateway.connect({ modern });
    expect(connected.client.getNegotiatedProtocolVersion()).toBe(version);
    const { tools } = await connected.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["search_tools", "execute_code"]);
    const { structuredContent } = await connected.call("execute_code", { code: "1 + 1" });
    expect(structuredContent).toMatchObject({ status: "ok", result: 2 });
  });
});

test("refuses", async () => {
  const { status } = await gateway.ask(list, { headers: { authorization: "Bearer no" } });
  expect(status).toBe(401);
  void initialize;
});
