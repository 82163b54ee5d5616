import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { identifiers, libraryReserved, moduleReserved } from "./names.ts";

const hash = (name: string, digits = 6) => createHash("sha256").update(name).digest("hex").slice(0, digits);
const legal = /^(?!__)[A-Za-z_][A-Za-z0-9_]*$/;

test.each([
  ["search_papers", "search_papers"],
  ["createIssue", "createIssue"],
  ["_private", "_private"],
  ["_", "_"],
  ["match", "match"],
  ["type", "type"],
  ["constructor", "constructor"],
  ["a".repeat(200), "a".repeat(200)],
  ["get-time", "get_time"],
  ["a.b/c d", "a_b_c_d"],
  ["$ref", "_ref"],
  ["../../etc/passwd", "_etc_passwd"],
  ["3d-model", "_3d_model"],
  ["créer", "cr_er"],
  ["🚀launch", "_launch"],
  ["class", "class_"],
  ["case", "case_"],
  ["None", "None_"],
  ["await", "await_"],
  ["then", "then_"],
  ["default", "default_"],
  ["eval", "eval_"],
  ["undefined", "undefined_"],
  ["call", "call_"],
  ["list-tools", "list_tools_"],
  ["__proto__", "_proto__"],
  ["__init__", "_init__"],
  ["文件", `tool_${hash("文件")}`],
  ["__", `tool_${hash("__")}`],
  ["", `tool_${hash("")}`],
  ["x-".repeat(50), `${"x_".repeat(50).slice(0, 57)}_${hash("x-".repeat(50))}`],
])("the tool %j is imported as %s", (name, identifier) => {
  expect(identifiers([name], libraryReserved)).toEqual(new Map([[name, identifier]]));
});

test("of names that map to the same identifier, the legal one keeps it and the others get a hash", () => {
  expect(identifiers(["get-user", "get_user", "get.user", "other"])).toEqual(
    new Map([
      ["get_user", "get_user"],
      ["get-user", `get_user_${hash("get-user")}`],
      ["get.user", `get_user_${hash("get.user")}`],
      ["other", "other"],
    ]),
  );
});

test("a name that a server chose to look like a hashed one takes nobody's place", () => {
  const squatter = `get_user_${hash("get-user")}`;
  expect(identifiers(["get-user", "get_user", squatter])).toEqual(
    new Map([
      ["get_user", "get_user"],
      [squatter, squatter],
      ["get-user", `get_user_${hash("get-user", 12)}`],
    ]),
  );
});

test("the order of the names does not matter", () => {
  const names = [
    "a-b",
    "a.b",
    "a_b",
    "a b",
    "class",
    "class_",
    "1",
    "_1",
    "",
    "é",
    "__a",
    "_a",
    "x".repeat(70),
    "x-".repeat(60),
  ];
  const forwards = identifiers(names, libraryReserved);
  expect(identifiers(names.toReversed(), libraryReserved)).toEqual(forwards);
  expect(identifiers([...names.slice(5), ...names.slice(0, 5)], libraryReserved)).toEqual(forwards);
});

test("hostile names all get legal and different identifiers", () => {
  const names = [
    ...Array.from({ length: 5_000 }, (_, number) => String.fromCodePoint(0x4e00 + number)),
    ...Array.from({ length: 500 }, (_, number) => `a${"-./ +*".charAt(number % 6)}b${"\u200b".repeat(number)}`),
    "\ud800",
    "\ud801",
    "\udc00",
    "\ud821\u0080",
    "!\u0600\u0000",
    "a\ud800",
    "a\ud801",
    "hasOwnProperty",
    "toString",
    "x'); process.exit(); //",
    "\u001b[31mred",
    `${"n".repeat(100_000)}-`,
    `${"n".repeat(100_000)}.`,
  ];
  const found = identifiers(names, libraryReserved);
  expect([...found.keys()].toSorted()).toEqual(names.toSorted());
  expect([...found.values()].filter((identifier) => !legal.test(identifier))).toEqual([]);
  expect(new Set(found.values()).size).toBe(names.length);
});

test("a server's module never hides another module or an export of mcp_tools", () => {
  const names = ["aio", "index", "search", "call", "list_servers", "_coordinator", "github"];
  expect(Object.fromEntries(identifiers(names, moduleReserved))).toEqual({
    aio: "aio_",
    index: "index_",
    search: "search_",
    call: "call_",
    list_servers: "list_servers_",
    _coordinator: "_coordinator_",
    github: "github",
  });
});
