import { createHash } from "node:crypto";
import { serialize } from "node:v8";
import { expect, test } from "vitest";
import { createLibrary } from "../library.ts";
import { digestTools, packDigest, unpackDigest } from "./search-digest.ts";

const tools = [
  { name: "create_issue", title: "New issue", description: "Create an issue. Files it in a project." },
  {
    name: "readFile",
    description: "Read a file",
    inputSchema: { properties: { file_path: { description: "Which" } } },
  },
  { name: "查找文件", description: "在知识库中查找文件, créer" },
];
const digest = digestTools(createLibrary({ name: "one" }, { tools }, "one").library.tools);

test("a digest reads back as it was", () => {
  expect(unpackDigest(packDigest(digest))).toEqual(digest);
  expect(unpackDigest(packDigest(digestTools([])))).toEqual(digestTools([]));
});

test("what is no digest, or one of another version, is none", () => {
  const bytes = packDigest(digest);
  for (const damaged of [
    new Uint8Array(),
    bytes.slice(0, 100),
    Uint8Array.of(1, 2, 3),
    serialize(null),
    serialize({}),
  ]) {
    expect(unpackDigest(damaged)).toBeUndefined();
  }
  expect(unpackDigest(serialize({ ...digest, words: "", version: -1 }))).toBeUndefined();
  expect(unpackDigest(undefined)).toBeUndefined();
});

test("digests are made as before; where they are not, raise their version and change this", () => {
  const hash = createHash("sha256").update(JSON.stringify(digest)).digest("hex").slice(0, 16);
  expect(hash).toBe("a9ff0d6cbbe2fc06");
});
