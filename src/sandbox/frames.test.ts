import { describe, expect, test } from "vitest";
import { createFrameReader, encodeFrame, exceeds } from "./frames.ts";

const texts = ["{}", '{"a":"é€😀"}', `"${"x".repeat(70_000)}"`, "[1,2,3]"];

function readAll(bytes: Uint8Array, chunkSize: number, maxBytes = 1 << 20) {
  const frames: string[] = [];
  let oversize: number | undefined;
  const reader = createFrameReader(
    maxBytes,
    (frame) => frames.push(new TextDecoder().decode(frame)),
    (size) => {
      oversize = size;
    },
  );
  for (let offset = 0; offset < bytes.length; offset += chunkSize) reader.push(bytes.slice(offset, offset + chunkSize));
  return { frames, oversize };
}

describe("the frame reader", () => {
  const wire = Uint8Array.from(texts.flatMap((text) => [...encodeFrame(text)]));

  test.each([1, 2, 3, 5, 4096, 1 << 20])("gives back every frame whole from chunks of %i bytes", (chunkSize) => {
    expect(readAll(wire, chunkSize)).toEqual({ frames: texts, oversize: undefined });
  });

  test("refuses an oversized frame by its header and reads nothing after it", () => {
    const hostile = Uint8Array.from([...encodeFrame("1"), 0xff, 0xff, 0xff, 0xff, ...encodeFrame("2")]);
    expect(readAll(hostile, 7)).toEqual({ frames: ["1"], oversize: 0xffffffff });
  });
});

test.each([
  ["[[1]]", { depth: 2, values: 9 }, false],
  ["[[[1]]]", { depth: 2, values: 9 }, true],
  [`{"a":"[[[[[[[["}`, { depth: 2, values: 9 }, false],
  [`{"a":"\\"[[[","b":[[]]}`, { depth: 2, values: 9 }, true],
  ["[".repeat(100_000), { depth: 512, values: 1e9 }, true],
  ["[1,2,3,4]", { depth: 2, values: 4 }, false],
  ["[1,2,3,4,5]", { depth: 2, values: 4 }, true],
  ["[[],[],[]]", { depth: 2, values: 4 }, true],
  ['["1,2,3,4,5,6"]', { depth: 2, values: 4 }, false],
])("%.20s exceeds %j: %s", (json, bounds, expected) => {
  expect(exceeds(new TextEncoder().encode(json), bounds)).toBe(expected);
});
