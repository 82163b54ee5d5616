import { expect, test } from "vitest";
import { withProgress } from "./progress.ts";

const record = (terminal: { isTTY?: boolean; columns?: number }) => {
  const written: string[] = [];
  return { written, stream: { ...terminal, write: (text: string) => written.push(text) } };
};

test("a terminal sees a bar that fits it and is gone at the end", async () => {
  const { written, stream } = record({ isTTY: true, columns: 44 });
  const result = await withProgress({ stream }, async (onProgress) => {
    onProgress("asking", { done: 0, total: 3 });
    onProgress("\u001b[31mgithub\n: a server with a long name", { done: 1, total: 3 });
    onProgress("writing");
    return "done";
  });
  expect(result).toBe("done");
  expect(written).toEqual([
    "\r\u001b[2K[------------------------] 0/3 asking",
    "\r\u001b[2K[########----------------] 1/3 github : a s",
    "\r\u001b[2Kwriting",
    "\r\u001b[2K",
  ]);
});

test("the bar is gone too when the work fails", async () => {
  const { written, stream } = record({ isTTY: true });
  const work = withProgress({ stream }, async () => {
    throw new Error("no");
  });
  await expect(work).rejects.toThrow("no");
  expect(written).toEqual(["\r\u001b[2K"]);
});

test("anything else gets a line each time", async () => {
  const { written, stream } = record({});
  await withProgress({ stream }, async (onProgress) => onProgress("memory: 9 tools", { done: 2, total: 2 }));
  expect(written).toEqual(["2/2 memory: 9 tools\n"]);
});

test("nothing is shown where only data is wanted", async () => {
  const { written, stream } = record({ isTTY: true });
  await withProgress({ stream, json: true }, async (onProgress) => onProgress("asking"));
  expect(written).toEqual([]);
});
