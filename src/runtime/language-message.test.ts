import { expect, test } from "vitest";
import { createMessageReader, encodeMessage, type Message } from "./language-message.ts";

const sent: Message[] = [
  { id: 1, result: "é\r\n\r\n" },
  { method: "a", params: {} },
  { id: 2, result: "x".repeat(5000) },
];
const stream = Buffer.concat(sent.map(encodeMessage));

test.each([1, 7, 100, stream.length])("messages come whole out of pieces of %i bytes", (size) => {
  const received: Message[] = [];
  const read = createMessageReader((message) => received.push(message));
  for (let at = 0; at < stream.length; at += size) expect(read(stream.subarray(at, at + size))).toBe(true);
  expect(received).toEqual(sent.map((message) => ({ jsonrpc: "2.0", ...message })));
});

test.each([
  ["no header", "x".repeat(2000)],
  ["no length", "Content-Type: x\r\n\r\n{}"],
  ["a length beyond all measure", "Content-Length: 99999999999\r\n\r\n{}"],
  ["no JSON", "Content-Length: 3\r\n\r\n{]}"],
])("a stream with %s is refused", (_name, text) => {
  expect(createMessageReader(() => {})(Buffer.from(text))).toBe(false);
});
