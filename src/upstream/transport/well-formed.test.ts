import { expect, test } from "vitest";
import { wellFormed } from "./well-formed.ts";

const answer = (rest: object) => ({ jsonrpc: "2.0", id: 1, ...rest });

test.each([
  ["an answer", answer({ result: { a: 1 } }), answer({ result: { a: 1 } })],
  ["a notification", { jsonrpc: "2.0", method: "x" }, { jsonrpc: "2.0", method: "x" }],
  ["a request", answer({ method: "ping" }), answer({ method: "ping" })],
  ["a log line", { level: "info" }, undefined],
  ["an older version", { jsonrpc: "1.0", id: 1, result: {} }, undefined],
  ["a list", [answer({ result: {} })], undefined],
  ["null", null, undefined],
  ["fields beside the result", answer({ result: {}, time: 3, error: null }), answer({ result: {} })],
  ["good metadata", answer({ result: { _meta: { a: 1 } } }), answer({ result: { _meta: { a: 1 } } })],
  ["bad metadata", answer({ result: { a: 1, _meta: "b" } }), answer({ result: { a: 1 } })],
  [
    "an error",
    answer({ error: { code: 5, message: "m", data: [1] } }),
    answer({ error: { code: 5, message: "m", data: [1] } }),
  ],
  ["an error without a code", answer({ error: { message: "m" } }), answer({ error: { code: -32603, message: "m" } })],
  ["an error that is a text", answer({ error: "m" }), answer({ error: { code: -32603, message: "m" } })],
  ["an error without words", answer({ error: { a: 1 } }), answer({ error: { code: -32603, message: '{"a":1}' } })],
])("%s", (_, value, message) => {
  expect(wellFormed(value)).toEqual(message);
});

test.each([null, "text", [1], 3, undefined])("a result of %j is answered with an error", (result) => {
  expect(wellFormed(answer({ result }))).toEqual(
    answer({ error: { code: -32603, message: "the answer has neither a result nor an error" } }),
  );
});
