import { expect, test } from "vitest";
import { Tail } from "./tail.ts";

test.each([
  ["short text is kept whole", ["one\n", "two"], "one\ntwo"],
  ["exactly the limit is kept whole", ["0123456789"], "0123456789"],
  ["more is cut to whole lines", ["first line\n", "second\n"], "second\n"],
  ["one large chunk is cut as well", ["first line\nsecond\n"], "second\n"],
  ["a line that is longer than the limit keeps its end", ["0123456789abc"], "3456789abc"],
  ["nothing is nothing", [], ""],
])("%s", (_, chunks, text) => {
  const tail = new Tail(10);
  for (const chunk of chunks) tail.push(Buffer.from(chunk));
  expect(tail.text()).toBe(text);
});
