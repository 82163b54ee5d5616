import { expect, test } from "vitest";
import { allowingRule } from "./allowing-rule.ts";
import { compileCondition } from "./condition.ts";
import { createPolicy } from "./policy.ts";
import type { Judged, Layer, Rule } from "./rule.ts";

const act: Judged = { kind: "tool", server: "gmail", tool: "send_mail", args: { to: ["a@b.c"], size: 3 }, via: "code" };
const layer = (rules: readonly Rule[], more: Partial<Layer> = {}): Layer => ({
  ...{ origin: "user", file: "config.json", trust: [], rules },
  ...more,
});
const compose = (of: Layer, same: readonly string[] = [], judged = act, isTrusted = false) =>
  allowingRule(judged, of, { same, isTrusted, compile: compileCondition });
const mail: Rule = { id: "mail", match: { tool: "send_*" }, action: "ask" };
const named = { server: "gmail", tool: "send_mail", via: "code" };

test.each<[string, Layer, readonly string[], unknown]>([
  ["the tool, before the rule that asks", layer([mail]), [], { rule: { match: named, action: "allow" }, index: 0 }],
  [
    "behind what denies",
    layer([{ match: { tool: "delete_*" }, action: "deny" }, mail]),
    [],
    { rule: { match: named, action: "allow" }, index: 1 },
  ],
  ["the preset", layer([], { preset: "careful" }), [], { rule: { match: named, action: "allow" }, index: 0 }],
  [
    "what the asking rule says of arguments",
    layer([{ match: { args: { "/to/*": { not: ["*@acme.com"] } }, when: "args.size > 1" }, action: "ask" }]),
    [],
    {
      rule: { match: { ...named, args: { "/to/*": { not: ["*@acme.com"] } }, when: "args.size > 1" }, action: "allow" },
      index: 0,
    },
  ],
  [
    "the same values",
    layer([mail]),
    ["/size", "/to/0"],
    {
      rule: { match: { ...named, args: { "/size": { min: 3, max: 3 }, "/to/0": "a@b.c" } }, action: "allow" },
      index: 0,
    },
  ],
  ["nothing where it does not ask", layer([{ match: {}, action: "allow" }, mail]), [], undefined],
  ["nothing where there is no such value", layer([mail]), ["/cc"], expect.stringContaining("/cc")],
])("an allowing rule names %s", (_what, of, same, expected) => {
  expect(compose(of, same)).toEqual(expected);
});

test("which rule asks is a matter of whom the user trusts, in whichever file", () => {
  const reading: Rule = { match: { annotations: { readOnlyHint: true } }, action: "allow" };
  const judged: Judged = { ...act, claims: { readOnlyHint: true } };
  expect(compose(layer([reading, mail]), [], judged)).toMatchObject({ index: 1 });
  expect(compose(layer([reading, mail]), [], judged, true)).toBeUndefined();
});

test("it allows the very call and its like, and nothing that the rules before it say otherwise of", () => {
  const rules: readonly Rule[] = [{ match: { tool: "send_secret" }, action: "deny" }, mail];
  const made = compose(layer(rules));
  if (typeof made !== "object") throw new Error(made);
  const changed = layer(rules.toSpliced(made.index, 0, made.rule));
  const decided = createPolicy([changed], compileCondition);
  if (!("policy" in decided)) throw new Error("problems");
  const decide = (more: Partial<Judged>) => decided.policy.decide({ ...act, ...more }).action;
  expect([decide({}), decide({ args: {} }), decide({ tool: "send_secret" })]).toEqual(["allow", "allow", "deny"]);
  expect([decide({ tool: "send_page" }), decide({ server: "other" }), decide({ via: "exposed" })]).toEqual(
    Array(3).fill("ask"),
  );
});

test("one that would not let the very call pass is not made", () => {
  const asks = layer([{ match: { args: { "/to/*": { not: "*@acme.com" } } }, action: "ask" }]);
  const mixed = { ...act, args: { to: ["x@acme.com", "eve@evil.io"] } };
  expect(compose(asks, [], mixed)).toMatch(/this very call/);
  expect(compose(layer([mail]), [], { ...act, tool: "send_*" })).toMatch(/"send_\*" would name others too/);
});
