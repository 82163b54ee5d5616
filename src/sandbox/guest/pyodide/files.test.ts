import { describe, expect, test } from "vitest";
import { errno, SystemCallFailure } from "./errno.ts";
import { createFiles, type Files } from "./files.ts";
import type { FileNode } from "./nodes.ts";

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

function failureOf(work: () => unknown): number | undefined {
  try {
    work();
    return undefined;
  } catch (thrown) {
    return (thrown as SystemCallFailure).number;
  }
}

function write(files: Files, path: string, content: string): FileNode {
  const file = files.createFile(files.root, path, 0o644);
  files.write(file, text(content), 0);
  return file;
}

function read(files: Files, path: string): string {
  const file = files.find(files.root, path, true) as FileNode;
  const target = new Uint8Array(100);
  return new TextDecoder().decode(target.subarray(0, files.read(file, target, 0)));
}

describe("paths", () => {
  test("go through folders, dots and links, also to folders above the root", () => {
    const files = createFiles(100_000);
    files.createFolder(files.root, "/a", 0o755);
    files.createFolder(files.root, "a/b/", 0o755);
    write(files, "/a/b/file", "here");
    files.createLink(files.root, "/link", "a/./b/../b");
    files.createLink(files.root, "/a/up", "/link/file");
    for (const path of ["/a/b/file", "a//b/file", "/../../a/b/./file", "/link/file", "/a/up", "/a/b/../up"]) {
      expect(read(files, path)).toBe("here");
    }
    expect(files.pathOf(files.find(files.root, "/link/file", true))).toBe("/a/b/file");
    expect(files.find(files.root, "/a/up", false).kind).toBe("link");
  });

  test("fail with the right number", () => {
    const files = createFiles(100_000);
    write(files, "/file", "");
    files.createLink(files.root, "/loop", "loop");
    const find = (path: string) => failureOf(() => files.find(files.root, path, true));
    expect(find("/nothing")).toBe(errno.notFound);
    expect(find("")).toBe(errno.notFound);
    expect(find("/nothing/below")).toBe(errno.notFound);
    expect(find("/file/below")).toBe(errno.notFolder);
    expect(find("/file/")).toBe(errno.notFolder);
    expect(find("/loop")).toBe(errno.loop);
    expect(find(`/${"x".repeat(256)}`)).toBe(errno.nameTooLong);
    expect(find("/x".repeat(3000))).toBe(errno.nameTooLong);
    expect(failureOf(() => files.createFolder(files.root, "/file", 0))).toBe(errno.exists);
  });

  test("have no names with a meaning in JavaScript", () => {
    const files = createFiles(100_000);
    for (const name of ["__proto__", "constructor", "toString"]) {
      expect(failureOf(() => files.find(files.root, `/${name}`, true))).toBe(errno.notFound);
      write(files, `/${name}`, name);
      expect(read(files, `/${name}`)).toBe(name);
    }
  });
});

describe("renaming and removing", () => {
  test("replaces a file, keeps folders whole, and refuses a folder inside itself", () => {
    const files = createFiles(100_000);
    files.createFolder(files.root, "/a", 0o755);
    files.createFolder(files.root, "/a/b", 0o755);
    write(files, "/one", "1");
    write(files, "/two", "2");
    files.rename(files.root, "/one", files.root, "/two");
    expect(read(files, "/two")).toBe("1");
    expect(failureOf(() => files.rename(files.root, "/a", files.root, "/a/b/c"))).toBe(errno.invalid);
    expect(failureOf(() => files.rename(files.root, "/two", files.root, "/a"))).toBe(errno.isFolder);
    expect(failureOf(() => files.rename(files.root, "/a", files.root, "/two"))).toBe(errno.notFolder);
    expect(failureOf(() => files.remove(files.root, "/a", "folder"))).toBe(errno.notEmpty);
    expect(failureOf(() => files.remove(files.root, "/a", "file"))).toBe(errno.isFolder);
    files.rename(files.root, "/a/b", files.root, "/b");
    expect(files.pathOf(files.find(files.root, "/b", true))).toBe("/b");
  });
});

describe("space", () => {
  test("is bounded for content, for holes, for entries and for links", () => {
    const files = createFiles(10_000);
    const file = write(files, "/file", "x".repeat(4000));
    expect(failureOf(() => files.write(file, new Uint8Array(10_000), 0))).toBe(errno.noSpace);
    expect(failureOf(() => files.resize(file, 1e12))).toBe(errno.noSpace);
    expect(failureOf(() => files.createLink(files.root, "/link", "x".repeat(9000)))).toBe(errno.noSpace);
    const folders = () => {
      for (let index = 0; ; index++) files.createFolder(files.root, `/${index}`, 0o755);
    };
    expect(failureOf(folders)).toBe(errno.noSpace);
    expect(files.space.used).toBeLessThanOrEqual(10_000);
  });

  test("comes back when a file is removed, but only once it is closed", () => {
    const files = createFiles(10_000);
    const file = write(files, "/file", "x".repeat(4000));
    files.open(file);
    files.remove(files.root, "/file", "file");
    expect(files.space.used).toBeGreaterThan(4000);
    files.close(file);
    expect(files.space.used).toBe(0);
  });

  test("is not gained by removing what was there from the start", () => {
    const files = createFiles(1000);
    files.provide("/library", new Uint8Array(50_000));
    expect(failureOf(() => files.resize(write(files, "/a", ""), 1000))).toBe(errno.noSpace);
    files.remove(files.root, "/library", "file");
    expect(files.space.limit - files.space.used).toBeLessThan(60_000);
  });

  test("a file that grows again after a cut shows nothing of what was there", () => {
    const files = createFiles(10_000);
    const file = write(files, "/file", "secret");
    files.resize(file, 2);
    files.resize(file, 6);
    expect(read(files, "/file")).toBe("se\0\0\0\0");
  });
});

test("a failure is not an error of JavaScript: it costs no stack", () => {
  expect(new SystemCallFailure(errno.notFound)).not.toBeInstanceOf(Error);
});
