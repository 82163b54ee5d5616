import { expect, test } from "vitest";
import { listPages } from "./list-pages.ts";

interface Page {
  readonly tools: unknown[];
  readonly nextCursor?: string;
}

/** The pages as a server without an end sends them; counts how many it was asked for. */
async function list(pageOf: (number: number) => Page) {
  let asked = 0;
  const listing = await listPages("s", "tools", "list the tools", async () => pageOf(asked++));
  return { ...listing, asked };
}

test("pages without an end are read up to 64 MB of text in all", async () => {
  const description = "x".repeat(20 * 1024 * 1024);
  const { items, truncated, asked } = await list((number) => ({ tools: [{ description }], nextCursor: `${number}` }));
  expect([items.length, truncated, asked]).toEqual([3, true, 4]);
});

test("what stands on a page behind the limit is left out", async () => {
  const text = "x".repeat(1024 * 1024);
  const { items, truncated } = await list(() => ({ tools: Array.from({ length: 100 }, () => text) }));
  expect([items.length, truncated]).toEqual([63, true]);
});

test("a very long cursor is not followed", async () => {
  const { truncated, asked } = await list((number) => ({ tools: [], nextCursor: `${number}${"x".repeat(64 * 1024)}` }));
  expect([truncated, asked]).toEqual([true, 1]);
});

test("a cursor of some length is followed, until it comes again", async () => {
  const { truncated, asked } = await list((number) => ({
    tools: [],
    nextCursor: `${number % 3}${"x".repeat(60_000)}`,
  }));
  expect([truncated, asked]).toEqual([true, 4]);
});
