import { expect, test } from "vitest";
import { createGatheredOutput } from "./gathered-output.ts";

function gathering() {
  const sent: string[] = [];
  const later: (() => void)[] = [];
  const output = createGatheredOutput(
    (stream, text) => void sent.push(`${stream} ${text.length}`),
    (work) => void later.push(work),
  );
  return { output, sent, later };
}

test("the first 64 KB are sent as they come, more in pieces of 16 KB", () => {
  const { output, sent } = gathering();
  for (let line = 0; line < 1024; line++) output.add("stdout", "x".repeat(64));
  expect(sent).toEqual(Array(1024).fill("stdout 64"));
  for (let line = 0; line < 512; line++) output.add("stdout", "y".repeat(64));
  output.flush();
  const more = sent.slice(1024).map((one) => Number(one.split(" ")[1]));
  expect(more.reduce((sum, length) => sum + length, 0)).toBe(512 * 64);
  expect(more.length).toBeLessThan(100); // two, or more where this machine was slow
});

test("what is held goes out before the other stream, when the program waits, and before the next program", () => {
  const { output, sent, later } = gathering();
  output.add("stdout", "x".repeat(1 << 16));
  output.add("stdout", "a");
  output.add("stderr", "bb");
  expect(sent.slice(1)).toEqual(["stdout 1"]);
  for (const work of later) work();
  expect(sent.slice(1)).toEqual(["stdout 1", "stderr 2"]);
  output.add("stdout", "ccc");
  output.reset();
  expect(sent.slice(3)).toEqual(["stdout 3"]);
  output.add("stdout", "dddd");
  expect(sent.slice(4)).toEqual(["stdout 4"]);
});
