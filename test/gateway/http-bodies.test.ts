import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHome } from "./connect.ts";
import { type HttpGateway, serveHttp } from "./http-gateway.ts";

// What a body may consist of, beside its size: a small text can stand for very many values.

let gateway: HttpGateway;
beforeAll(async () => {
  gateway = await serveHttp(createHome({}));
});
afterAll(() => gateway[Symbol.asyncDispose]());

test.each([
  ["two million levels", `${"[".repeat(2_000_000)}${"]".repeat(2_000_000)}`],
  ["a million values", `[${"[],".repeat(1_000_000)}[]]`],
])("a body of %s is refused before it is parsed", async (_name, value) => {
  const body = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${value}}}`;
  const answer = await gateway.ask(body);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain("nests deeper than 512 levels, or has more than 200000 values");
});

test("initialize with very many capabilities is refused, with many it is not", async () => {
  const initialize = (count: number) => {
    const experimental = Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, {}]));
    const clientInfo = { name: "test", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: { experimental }, clientInfo };
    return gateway.ask({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  };
  const refused = await initialize(60_000);
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("10000 values at most")]);
  expect((await initialize(1000)).status).toBe(200);
});

test("fifty clients that send slowly are all answered, while as many do not come to an end", async () => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { a: "x".repeat(900_000) } });
  const open = () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname).on("error", () => {});
    const headers = `Host: localhost\r\nAuthorization: Bearer ${gateway.token}\r\nContent-Type: application/json`;
    socket.write(`POST /mcp HTTP/1.1\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n`);
    return socket;
  };
  const stand = Array.from({ length: 50 }, open);
  for (const socket of stand) socket.write(body.slice(0, -1));
  const statuses = Array.from({ length: 50 }, async () => {
    const socket = open();
    const answer = new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
    for (let at = 0; at < body.length; at += 100_000) {
      socket.write(body.slice(at, at + 100_000));
      await delay(50);
    }
    const status = (await answer).slice(0, 12);
    socket.destroy();
    return status;
  });
  // The body was read: what is missing is a session.
  expect(new Set(await Promise.all(statuses))).toEqual(new Set(["HTTP/1.1 400"]));
  for (const socket of stand) socket.destroy();
});

test("a connection that sends many requests before it has answers is served, one that sends very many is hung up on", async () => {
  const { hostname, port } = new URL(gateway.url);
  const headers = `Host: localhost\r\nAuthorization: Bearer ${gateway.token}\r\nContent-Type: application/json`;
  const request = `POST /mcp HTTP/1.1\r\n${headers}\r\nContent-Length: 2\r\n\r\n{}`;
  const answersTo = async (count: number) => {
    const socket = connect(Number(port), hostname).on("error", () => {});
    socket.write(request.repeat(count));
    let text = "";
    const all = new Promise<void>((resolve) => {
      socket.once("close", () => resolve());
      socket.on("data", (data) => {
        text += data;
        if (text.split("HTTP/1.1 400").length > count) resolve();
      });
    });
    await all;
    socket.destroy();
    return text.split("HTTP/1.1 400").length - 1;
  };
  expect(await answersTo(90)).toBe(90);
  expect(await answersTo(5000)).toBeLessThan(5000);
  expect((await gateway.ask("{}")).status).toBe(400);
});
