import { expect, test } from "vitest";
import { deprecatedLast } from "./deprecated.ts";

const found = (server: string, name: string, description: string, score: number) => {
  return { library: { server }, tool: { name, description }, score };
};
const order = (results: ReturnType<typeof found>[]) => deprecatedLast(results).map(({ tool }) => tool.name);

test("a deprecated tool comes last where the one that it names is found", () => {
  const read = found("files", "read_file", "Read a file as text. DEPRECATED: Use read_text_file instead.", 9);
  const others = [found("files", "read_text_file", "Read a file", 8), found("files", "read_media_file", "Read it", 7)];
  expect(order([read, ...others])).toEqual(["read_text_file", "read_media_file", "read_file"]);
});

test("one that names none comes behind its equals only", () => {
  const old = found("a", "old", "Deprecated. Reads.", 5);
  expect(order([old, found("a", "same", "Reads.", 5), found("a", "less", "Reads.", 4)])).toEqual([
    "same",
    "old",
    "less",
  ]);
});

test("the rest, and tools of other servers, stay where they are", () => {
  const old = found("a", "read", "Deprecated: use get instead", 5);
  expect(order([old, found("b", "get", "Gets", 4)])).toEqual(["read", "get"]);
  expect(order([found("a", "get", "Gets", 6), old, found("a", "list", "Lists what is not deprecated", 5)])).toEqual([
    "get",
    "list",
    "read",
  ]);
});
