import type { ArgsDef } from "citty";
import { describe, expect, test } from "vitest";
import { checkArguments, readList, readNumber } from "./arguments.ts";

const definitions = {
  server: { type: "positional" },
  "rest…": { type: "positional", required: false },
  json: { type: "boolean" },
  check: { type: "boolean", default: true },
  limit: { type: "string" },
  detail: { type: "enum", options: ["names", "full"] },
} as const satisfies ArgsDef;

describe("arguments", () => {
  test.each([
    "a",
    "a b c=d",
    "--json a",
    "a --no-check",
    "a --limit 3",
    "a --limit=-3",
    "a --limit -",
    "a --detail full",
    "a -- --anything",
    "a --help",
  ])("fit: %s", (line) => {
    expect(() => checkArguments(line.split(" "), definitions)).not.toThrow();
  });

  test.each([
    ["", "SERVER is missing"],
    ["a --limit", "--limit needs a value"],
    ["a --limit -3", "--limit needs a value"],
    ["a --no-limit", "Unknown option --no-limit"],
    ["a --server x", "Unknown option --server"],
    ["a --constructor", "Unknown option --constructor"],
    ["a -x", "Unknown option -x"],
    ["a --detail half", '--detail cannot be "half"'],
  ])("do not fit: %s", (line, message) => {
    const words = line.split(" ").filter(Boolean);
    expect(() => checkArguments(words, definitions)).toThrow(message);
  });
});

test("a number is a number or an error", () => {
  expect([readNumber("--n", undefined), readNumber("--n", "0.5")]).toEqual([undefined, 0.5]);
  for (const text of ["", " ", "many", "3s"]) expect(() => readNumber("--n", text)).toThrow("--n cannot be");
});

test("a list has its items without spaces and empty ones", () => {
  expect([readList(undefined), readList("a, b,,"), readList("")]).toEqual([undefined, ["a", "b"], []]);
});
