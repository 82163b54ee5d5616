import { describe, expect, test } from "vitest";
import { CoordinatorError } from "../errors.ts";
import { thisProcess } from "../system/owner.ts";
import { readFolderPath, readPath, temporaryNameOf, temporaryOwner } from "./file-name.ts";

const hostile: [name: string, path: string][] = [
  ["nothing", ""],
  ["a dot", "."],
  ["two dots", ".."],
  ["a way up", "../secret"],
  ["a way up in the middle", "a/../../secret"],
  ["a way up at the end", "a/.."],
  ["a dot in the middle", "a/./b"],
  ["a way up behind the dot that is allowed", "./../x"],
  ["an absolute path", "/etc/passwd"],
  ["two slashes", "a//b"],
  ["a slash at the end", "a/"],
  ["a home folder", "~/.ssh/id_rsa"],
  ["another user's home folder", "~root/x"],
  ["a drive", "C:\\Windows\\win.ini"],
  ["a drive with a slash", "C:/Windows/win.ini"],
  ["a path relative to a drive", "c:secret"],
  ["a share", "\\\\server\\share\\x"],
  ["a share with slashes", "//server/share/x"],
  ["a device path", "\\\\?\\C:\\x"],
  ["a backslash way up", "..\\secret"],
  ["a stream of NTFS", "file.txt:hidden"],
  ["a stream of a folder", "folder::$INDEX_ALLOCATION/x"],
  ["a NUL", "a\0.txt"],
  ["a line end", "a\n.txt"],
  ["an escape", "a\u001b[2J"],
  ["a delete", "a\u007f"],
  ["text that runs backwards", "a\u202etxt.exe"],
  ["an invisible space", "a\u200b.txt"],
  ["half of a pair", "a\ud800.txt"],
  ["a line separator", "a\u2028.txt"],
  ["a dot at the end", "secret."],
  ["dots at the end of a folder", "a.../b"],
  ["a space at the end", "secret "],
  ["a space at the start", " secret"],
  ["con", "con"],
  ["NUL with an ending", "NUL.txt"],
  ["aux in a folder", "lib/aux.py"],
  ["a serial port", "com1"],
  ["a serial port with a superscript", "COM¹.log"],
  ["a printer", "lpt9.ts"],
  ["the console", "CONIN$"],
  ["a wildcard", "*.py"],
  ["a pipe character", "a|b"],
  ["a quote", 'a"b'],
  ["git's folder", ".git/config"],
  ["git's folder in capitals", ".GIT/hooks/pre-commit"],
  ["git's folder below", "sub/.git/config"],
  ["git's short name", "GIT~1/config"],
  ["a short name of Windows", "MCP~1.JSO"],
  ["a short name of a folder", "VSCODE~1/tasks.json"],
  ["git's folder in wide letters", ".ｇｉｔ/config"],
  ["an unfinished file of ours", temporaryNameOf({ node: "0123456789ab", epoch: "1.2" }, "ab12")],
  ["a name of 256 bytes", "a".repeat(256)],
  ["a name of 86 characters and 258 bytes", "語".repeat(86)],
  ["a path of 1025 characters", `${"a/".repeat(512)}b`],
  ["33 folders", `${"a/".repeat(32)}b`],
];

test.each(hostile)("%s is refused, on every system", (_name, path) => {
  const read = () => readPath(path);
  expect(read).toThrow(CoordinatorError);
  expect(read).toThrow(/Nothing was read or written/);
});

test.each([
  ["report.py", ["report.py"]],
  ["./report.py", ["report.py"]],
  ["lib/fib.ts", ["lib", "fib.ts"]],
  [".gitignore", [".gitignore"]],
  [".github/workflows/ci.yml", [".github", "workflows", "ci.yml"]],
  ["concert.py", ["concert.py"]],
  ["a b/c d.txt", ["a b", "c d.txt"]],
  ["naïve/日本語.md", ["naïve", "日本語.md"]],
  ["...x", ["...x"]],
  ["notes~", ["notes~"]],
  ["report.txt.~1~", ["report.txt.~1~"]],
  ["a".repeat(255), ["a".repeat(255)]],
])("%j is a path", (path, parts) => {
  expect(readPath(path)).toEqual(parts);
});

describe("a folder's path", () => {
  test.each([
    ["", []],
    [".", []],
    ["./", []],
    ["lib", ["lib"]],
    ["lib/", ["lib"]],
    ["./lib/", ["lib"]],
    [".github", [".github"]],
  ])("%j", (path, parts) => {
    expect(readFolderPath(path)).toEqual(parts);
  });

  test.each(["..", "../", "/", "//", "lib//", "./..", "./../"])("%j is refused", (path) => {
    expect(() => readFolderPath(path)).toThrow(CoordinatorError);
  });
});

test("an unfinished file tells whose it is", () => {
  const [owner, unmarked] = [
    { node: "0123456789ab", epoch: "12.345" },
    { node: "0123456789ab", epoch: "12." },
  ];
  for (const one of [owner, unmarked]) expect(temporaryOwner(temporaryNameOf(one, "ab"))).toEqual(one);
  expect(temporaryOwner(".mcp-coordinator-12-345-ab.tmp")).toEqual({ ...thisProcess(), epoch: "12.345" });
  expect(temporaryOwner("report.tmp")).toBeUndefined();
  for (const path of [temporaryNameOf(unmarked, "ab"), "lib/.mcp-coordinator-1.tmp"]) {
    expect(() => readPath(path)).toThrow("is a name that mcp-coordinator uses");
  }
  expect(readPath("mcp-coordinator-1.tmp")).toEqual(["mcp-coordinator-1.tmp"]);
});
