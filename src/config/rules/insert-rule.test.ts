import { expect, test } from "vitest";
import { readDocument } from "../document.ts";
import { insertRule } from "./insert-rule.ts";

const rule = { match: { tool: "t" }, action: "allow" };
const rulesIn = (text: string) =>
  (readDocument(text, "f").value as { coordinator: { policy: { rules: unknown[] } } }).coordinator.policy.rules;

test.each([
  ["before the first", '[{ "action": "ask" }]', 0, [rule, { action: "ask" }]],
  [
    "before the second",
    '[{ "action": "deny" }, { "action": "ask" }]',
    1,
    [{ action: "deny" }, rule, { action: "ask" }],
  ],
  ["behind the last, which has a comma", '[{ "action": "deny" },]', 1, [{ action: "deny" }, rule]],
  ["into an empty list", "[]", 0, [rule]],
])("a rule is inserted %s", (_where, rules, index, expected) => {
  expect(rulesIn(insertRule(`{"coordinator":{"policy":{"rules":${rules}}}}`, index, rule))).toEqual(expected);
});

test("a file without rules gets a list of them", () => {
  expect(rulesIn(insertRule('{ "coordinator": { "policy": { "preset": "careful" } } }', 0, rule))).toEqual([rule]);
});

test("comments and everything else stay as they are", () => {
  const text = `{
  // of mine
  "coordinator": {
    "policy": {
      "rules": [
        // mail is asked about
        { "id": "mail", "match": { "tool": "send_*" }, "action": "ask" }, /* and that */
      ],
    },
  },
}
`;
  const edited = insertRule(text, 0, rule);
  expect(rulesIn(edited)).toHaveLength(2);
  for (const part of [
    "// of mine",
    "// mail is asked about",
    "/* and that */",
    '{ "id": "mail", "match": { "tool": "send_*" }, "action": "ask" },',
  ])
    expect(edited).toContain(part);
});
