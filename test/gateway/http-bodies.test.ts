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
