import { describe, expect, test } from "vitest";
import { createFrameReader, encodeFrame } from "./frames.ts";

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
