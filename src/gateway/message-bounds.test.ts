import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { saysTooMuch, saysTooMuchUnparsed, tooMuchOfClient } from "./message-bounds.ts";
import { ClientStdioTransport } from "./stdio-transport.ts";

const many = Object.fromEntries(Array.from({ length: 6000 }, (_, index) => [`k${index}`, { a: 1 }]));
const few = { experimental: { a: { b: 1 } } };
const initialize = (capabilities: object) => ({ method: "initialize", id: 1, params: { capabilities } });
const call = (meta: object, data: object) => ({
  method: "tools/call",
  id: 1,
  params: { _meta: meta, arguments: data },
});

test.each([
  ["initialize with very many capabilities", initialize({ experimental: many }), true],
  ["a request with a very large _meta", call(many, {}), true],
  ["either in a batch", [call(few, many), initialize(many)], true],
  ["initialize with few capabilities", initialize(few), false],
  ["a call with many arguments", call(few, many), false],
  ["what is not a message", [null, 1, "initialize", { method: "initialize" }, { params: null }, { params: 7 }], false],
])("of what a client says of itself there is too much, or not: %s", (_what, body, isTooMuch) => {
  expect(saysTooMuch(body)).toBe(isTooMuch);
  expect(saysTooMuchUnparsed(Buffer.from(JSON.stringify(body)))).toBe(isTooMuch);
});

test("on stdio it is refused unread too, by its id", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = new ClientStdioTransport({ input, output });
  const read: unknown[] = [];
  transport.onmessage = (message) => read.push(message);
  await transport.start();
  const { id: _id, ...method } = call(many, {});
  input.write(`${JSON.stringify({ jsonrpc: "2.0", id: 5, ...method })}\n`);
  const [answer] = (await output.take(1).toArray()) as Buffer[];
  expect(JSON.parse(String(answer))).toMatchObject({ id: 5, error: { code: -32600, message: tooMuchOfClient } });
  expect(read).toEqual([]);
  await transport.close();
});
