import { describe, expect, test } from "vitest";
import { compileCondition } from "./condition.ts";
import type { Outlook } from "./outlook.ts";
import { createPolicy, type Policy } from "./policy.ts";
import type { Action, Judged, Layer, Match, Rule } from "./rule.ts";

const act = { kind: "tool", server: "gmail", tool: "send_mail", via: "code" } as const;
const layer = (more: Partial<Layer>): Layer => ({ origin: "user", file: "config.json", trust: [], rules: [], ...more });

function policyOf(layers: readonly Partial<Layer>[]): Policy {
  const made = createPolicy(layers.map(layer), compileCondition);
  if ("problems" in made) throw new Error(made.problems.map(({ message }) => message).join());
  return made.policy;
}
const outlook = (layers: readonly Partial<Layer>[], more: Partial<Judged> = {}): Outlook["action"] =>
  policyOf(layers).outlook({ ...act, ...more }).action;
const rule = (action: Action, match: Match = {}, more: Partial<Rule> = {}): Rule => ({ action, match, ...more });
const acme = { args: { "/to": "*@acme.com" } };

describe("what can be said of a call before its arguments are known", () => {
  test.each<[string, readonly Partial<Layer>[], Outlook["action"]]>([
    ["no rule", [], "allow"],
    ["a rule about another tool", [{ rules: [rule("deny", { tool: "delete_*" })] }], "allow"],
    ["a rule about another face", [{ rules: [rule("deny", { via: "cli" })] }], "allow"],
    ["denied", [{ rules: [rule("deny", { tool: "send_*" })] }], "denied"],
    ["denied by its face", [{ rules: [rule("deny", { via: "code" })] }], "denied"],
    ["denied with some arguments", [{ rules: [rule("deny", acme)] }], "depends"],
    ["denied under a condition", [{ rules: [rule("deny", { when: "true" })] }], "depends"],
    ["denied but for some arguments", [{ rules: [rule("allow", acme), rule("deny")] }], "depends"],
    ["denied with some, and with all others", [{ rules: [rule("deny", acme), rule("deny")] }], "denied"],
    ["asked", [{ rules: [rule("ask")] }], "asks"],
    ["asked with some arguments", [{ rules: [rule("ask", acme)] }], "asks"],
    ["asked with some, denied with others", [{ rules: [rule("ask", acme), rule("deny")] }], "asks"],
    ["a rule behind one that always answers", [{ rules: [rule("allow"), rule("deny")] }], "allow"],
    ["a rule that is tried out", [{ rules: [rule("deny", {}, { shadow: true })] }], "allow"],
    ["allowed by one layer, denied by another", [{ rules: [rule("allow")] }, { rules: [rule("deny")] }], "denied"],
    ["a preset that denies", [{ preset: "locked" }], "denied"],
    ["a preset that denies what no rule allows", [{ preset: "locked", rules: [rule("allow", acme)] }], "depends"],
    ["a preset that asks", [{ preset: "careful" }], "asks"],
  ])("%s", (_what, layers, expected) => expect(outlook(layers)).toBe(expected));

  test("what a definition claims counts as far as its server is trusted", () => {
    const claims = { destructiveHint: false };
    const rules = [rule("deny", { annotations: { destructiveHint: true } })];
    expect([outlook([{ rules }], { claims }), outlook([{ rules, trust: ["gmail"] }], { claims })]).toEqual([
      "denied",
      "allow",
    ]);
  });

  test("it names the rule that denies", () => {
    const denied = policyOf([{ rules: [rule("deny", {}, { id: "out", reason: "not now" })] }]).outlook(act);
    expect(denied.by).toMatchObject({ rule: "out", reason: "not now", origin: "user" });
  });
});

test("whatever the arguments turn out to be, the decision is one that was to be expected", () => {
  const matches: Match[] = [
    {},
    acme,
    { args: { "/to": { not: "*@acme.com" } } },
    { tool: "x" },
    { when: "args.n > 1" },
  ];
  const actions = ["allow", "ask", "deny"] as const;
  const rules = matches.flatMap((match) => actions.map((action) => rule(action, match)));
  const sets = [[], ...rules.map((one) => [one]), ...rules.flatMap((one) => rules.map((other) => [one, other]))];
  const layers = sets.flatMap((set) => [{ rules: set }, { rules: set, preset: "careful" as const }]);
  const args = [{}, { to: "a@acme.com" }, { to: "b@evil.io", n: 5 }, { n: 0 }, { to: ["a@acme.com", 5] }];
  const possible: Readonly<Record<Outlook["action"], readonly Action[]>> = {
    ...{ allow: ["allow"], asks: actions, denied: ["deny"], depends: ["allow", "deny"] },
  };
  const above = { rules: [rule("ask", { args: { "/n": { min: 3 } } })] };
  for (const one of layers) {
    for (const stack of [[one], [above, one]]) {
      const policy = policyOf(stack);
      const expected = possible[policy.outlook(act).action];
      for (const given of args) expect(expected).toContain(policy.decide({ ...act, args: given }).action);
    }
  }
});

describe("whether models see what is denied to them", () => {
  test.each<[readonly Partial<Layer>[], boolean]>([
    [[{}], false],
    [[{ denied: "mark" }], true],
    [[{ denied: "hide" }, { denied: "mark" }], false],
    [[{ origin: "project", denied: "mark" }], false],
    [[{ denied: "mark" }, { origin: "project", denied: "hide" }], false],
    [[{ denied: "mark" }, { origin: "project" }], true],
  ])("%j", (layers, expected) => expect(policyOf(layers).showsDenied).toBe(expected));
});

test("each layer's own answer is told, and nothing of one that has none", () => {
  const rules = [rule("ask", { tool: "send_*" }, { id: "mail" })];
  const policy = policyOf([{ origin: "managed" }, { rules }, { origin: "project", preset: "locked" }]);
  const said = policy
    .explain({ ...act, args: {} })
    .map((answer) => answer && [answer.origin, answer.action, answer.rule]);
  expect(said).toEqual([undefined, ["user", "ask", "mail"], ["project", "deny", "preset locked"]]);
});
