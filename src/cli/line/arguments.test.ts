import { describe, expect, test } from "vitest";
import { type Arguments, readArguments } from "./arguments.ts";

const definitions = {
  server: { type: "positional", required: true, description: "" },
  "rest…": { type: "positional", description: "" },
  json: { type: "boolean", description: "" },
  check: { type: "boolean", default: true, description: "" },
  limit: { type: "number", description: "" },
  toolsets: { type: "list", description: "" },
  env: { type: "many", description: "" },
  detail: { type: "choice", choices: ["names", "full"], description: "" },
} as const satisfies Arguments;

describe("arguments", () => {
  test.each([
    ["a", { server: "a", check: true, _: ["a"] }],
    ["a b c=d", { _: ["a", "b", "c=d"] }],
    ["--json a", { json: true, server: "a" }],
    ["--json=false a", { json: false }],
    ["a --no-check", { check: false }],
    ["a --limit 3", { limit: 3 }],
    ["a --limit=-3", { limit: -3 }],
    ["a --limit 0.5", { limit: 0.5 }],
    ["a --limit 3 --limit 4", { limit: 4 }],
    ["a --toolsets a,b,,", { toolsets: ["a", "b"] }],
    ["a --toolsets=", { toolsets: [] }],
    ["a --detail full", { detail: "full" }],
    ["a --env A=1 --env=B,C", { env: ["A=1", "B,C"] }],
    ["a -- --anything --json", { _: ["a", "--anything", "--json"], behind: ["--anything", "--json"], json: undefined }],
    ["a b", { env: undefined, behind: [] }],
  ])("are read: %s", (line, values) => {
    expect(readArguments(line.split(" "), definitions)).toMatchObject(values);
  });

  test.each([
    ["", "SERVER is missing"],
    ["a --limit", "--limit needs a value"],
    ["a --limit -3", "--limit needs a value"],
    ["a --limit=", '--limit cannot be ""'],
    ["a --limit 3s", '--limit cannot be "3s"'],
    ["a --no-limit", "Unknown option --no-limit"],
    ["a --server x", "Unknown option --server"],
    ["a --constructor", "Unknown option --constructor"],
    ["a -x", "Unknown option -x"],
    ["a --detail half", '--detail cannot be "half"'],
  ])("do not fit: %s", (line, message) => {
    const words = line.split(" ").filter(Boolean);
    expect(() => readArguments(words, definitions)).toThrow(message);
  });
});
