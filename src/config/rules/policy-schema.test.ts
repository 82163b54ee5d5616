import { expect, test } from "vitest";
import { policySchema } from "./policy-schema.ts";

const problemOf = (rule: object) => {
  const { error } = policySchema.safeParse({ rules: [{ match: {}, action: "deny", ...rule }] });
  return error?.issues.map(({ path, code }) => `${path.join(".")} ${code}`);
};

test("a rule as the documentation has it", () => {
  const rule = {
    id: "mail",
    match: {
      server: "gmail",
      tool: "send_*",
      args: { "/to/*": { not: ["*@acme.com"] }, "/url": { host: "*.acme.com" }, "/n": { min: 1 } },
      annotations: { destructiveHint: true },
      kind: ["tool", "own"],
      via: "skill:*",
      when: "size(args.rows) > 100",
    },
    action: "ask",
    reason: "mail leaves the company",
    approver: "dashboard",
    shadow: false,
  };
  expect(policySchema.parse({ rules: [rule] })).toEqual({ trust: [], rules: [rule] });
});

test.each<[string, object]>([
  ["an unknown key", { mtach: {} }],
  ["an unknown key inside", { match: { servers: "gmail" } }],
  ["an unknown annotation", { match: { annotations: { harmless: true } } }],
  ["an unknown kind", { match: { kind: "tools" } }],
  ["an unknown action", { action: "permit" }],
  ["a path that is not a pointer", { match: { args: { "to.0": "x" } } }],
  ["a pointer with a wrong escape", { match: { args: { "/a~2": "x" } } }],
  ["a pattern of two kinds", { match: { args: { "/a": { not: "x", host: "y" } } } }],
  ["a range without an end", { match: { args: { "/a": {} } } }],
  ["an empty list of globs", { match: { tool: [] } }],
])("is refused: %s", (_what, rule) => {
  expect(problemOf(rule)).not.toBeUndefined();
});
