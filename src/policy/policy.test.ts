import { describe, expect, test } from "vitest";
import { compileCondition } from "./condition.ts";
import { createPolicy, type Decision } from "./policy.ts";
import type { Action, Judged, Layer, Match, Rule } from "./rule.ts";

const act = (more: Partial<Judged> = {}): Judged => {
  return { kind: "tool", server: "gmail", tool: "send_mail", args: {}, via: "code", ...more };
};
const layer = (more: Partial<Layer>): Layer => ({ origin: "user", file: "config.json", trust: [], rules: [], ...more });

function decide(layers: readonly Partial<Layer>[], judged: Partial<Judged> = {}): Decision {
  const made = createPolicy(layers.map(layer), compileCondition);
  if ("problems" in made) throw new Error(made.problems.map(({ message }) => message).join());
  return made.policy.decide(act(judged));
}
const fits = (match: Match, judged: Partial<Judged>, action: Action = "ask", trust: string[] = []) => {
  const { rule } = decide([{ trust, rules: [{ id: "it", match, action }] }], judged);
  return rule === "it";
};

describe("which acts a rule is about", () => {
  test.each<[string, Match, Partial<Judged>, boolean]>([
    ["any tool", {}, {}, true],
    ["a server", { server: "gmail" }, {}, true],
    ["another server", { server: "slack" }, {}, false],
    ["one of several", { server: ["slack", "gm*"] }, {}, true],
    ["a glob of tools", { tool: "send_*" }, {}, true],
    ["its case", { tool: "Send_*" }, {}, false],
    ["part of a name", { tool: "send" }, {}, false],
    ["a name with an invisible character is another name", { tool: "send_mail" }, { tool: "send_\u200bmail" }, false],
    ["a name with a space is another name", { tool: "send_mail" }, { tool: "send_mail " }, false],
    ["a composed letter is another letter", { tool: "caf\u00e9" }, { tool: "cafe\u0301" }, false],
    ["a kind that is not named", {}, { kind: "resource" }, false],
    ["a kind that is", { kind: ["resource", "prompt"] }, { kind: "prompt" }, true],
    ["what no rule can name", { kind: ["tool", "own", "list"] }, { kind: "other" }, false],
    ["our own act", { kind: "own", tool: "network:*.evil.io" }, { kind: "own", tool: "network:a.evil.io" }, true],
    ["a face", { via: "skill:*" }, { via: "skill:report" }, true],
    ["another face", { via: ["cli", "exposed"] }, {}, false],
  ])("%s", (_what, match, judged, expected) => {
    for (const action of ["ask", "deny", "allow"] as const) expect(fits(match, judged, action)).toBe(expected);
  });
});

describe("arguments: what holds back fits when anything does, what allows only when everything does", () => {
  const acme = "*@acme.com";
  const [ok, evil] = ["ok@acme.com", "x@evil.io"];
  test.each<[string, NonNullable<Match["args"]>, unknown, boolean, boolean]>([
    ["a text", { "/to": acme }, { to: ok }, true, true],
    ["a text that does not fit", { "/to": acme }, { to: evil }, false, false],
    ["all elements fit", { "/to/*": acme }, { to: [ok, ok] }, true, true],
    ["one of the elements fits", { "/to/*": acme }, { to: [ok, evil] }, true, false],
    ["a list in place of a text", { "/to": acme }, { to: [ok, evil] }, true, false],
    ["a list of what fits, in place of a text", { "/to": acme }, { to: [ok] }, true, false],
    ["an object in place of a list", { "/to/*": acme }, { to: { 0: ok } }, true, false],
    ["no element", { "/to/*": acme }, { to: [] }, false, false],
    ["absent", { "/to": acme }, {}, false, false],
    ["a number for a glob", { "/to": "*" }, { to: 5 }, false, false],
    ["null for a glob", { "/to": "*" }, { to: null }, false, false],
    ["not: absent", { "/to": { not: acme } }, {}, true, false],
    ["not: absent, where nothing is", { "/to/address": { not: acme } }, { to: null }, true, false],
    ["not: one of the elements", { "/to/*": { not: acme } }, { to: [ok, evil] }, true, false],
    ["not: none of the elements", { "/to/*": { not: acme } }, { to: [ok, ok] }, false, false],
    ["not: all of the elements", { "/to/*": { not: acme } }, { to: [evil] }, true, true],
    ["not: absent", { "/to/*": { not: acme } }, {}, true, false],
    ["not: nested deeper than it should be", { "/to/*": { not: acme } }, { to: [{ address: evil }] }, true, false],
    ["not: a number", { "/to": { not: acme } }, { to: 7 }, true, false],
    ["a host", { "/url": { host: "*.acme.com" } }, { url: "https://a.acme.com:8443/x" }, true, true],
    ["a host in capitals", { "/url": { host: "*.acme.com" } }, { url: "https://A.ACME.com/" }, true, true],
    [
      "a host before an at sign",
      { "/url": { host: "*.acme.com" } },
      { url: "https://a.acme.com@evil.io/" },
      false,
      false,
    ],
    ["an address without a scheme", { "/url": { host: "*.acme.com" } }, { url: "a.acme.com" }, true, false],
    ["no address", { "/url": { host: "*" } }, { url: "two words" }, false, false],
    ["names in an object in place of a list", { "/to/*": acme }, { to: { [ok]: 1 } }, true, false],
    ["names of arguments are not arguments", { "/*": acme }, { [ok]: 1 }, false, false],
    ["a range", { "/n": { min: 10, max: 20 } }, { n: 10 }, true, true],
    ["below a range", { "/n": { min: 10 } }, { n: 9.99 }, false, false],
    ["a number in a text", { "/n": { min: 10 } }, { n: "99" }, true, false],
    ["several pointers", { "/a": "x", "/b": "y" }, { a: "x", b: "z" }, false, false],
    ["a pointer with escapes", { "/a~1b/c~0d": "x" }, { "a/b": { "c~d": "x" } }, true, true],
    ["an element by its number", { "/to/0": acme }, { to: [ok, evil] }, true, true],
    ["a member that only the prototype has", { "/constructor": "*" }, {}, false, false],
    ["__proto__ is data", { "/__proto__": "x" }, JSON.parse('{"__proto__":"x"}'), true, true],
    ["the length of a list is no member", { "/to/length": { min: 0 } }, { to: [1] }, false, false],
    ["no arguments at all", { "/to": "*" }, null, false, false],
  ])("%s", (_what, args, given, holdsBack, allows) => {
    expect(fits({ args }, { args: given }, "ask")).toBe(holdsBack);
    expect(fits({ args }, { args: given }, "deny")).toBe(holdsBack);
    expect(fits({ args }, { args: given }, "allow")).toBe(allows);
  });

  test.each([
    ["500 levels deep", JSON.parse(`${'{"a":'.repeat(500)}1${"}".repeat(500)}`)],
    ["a million letters", { a: "a".repeat(1_000_000) }],
    ["300,000 elements", { a: Array.from({ length: 300_000 }, () => "a") }],
  ])("%s end in a moment", (_what, args) => {
    for (const pattern of ["(a+)+$", "*a*a*a*a*b", { not: "*b" }, { host: "*" }, { min: 0 }]) {
      fits({ args: { "/a": pattern, "/a/*": pattern } }, { args }, "ask");
    }
  });
});

describe("annotations", () => {
  const relaxing: Match = { annotations: { readOnlyHint: true } };
  const harmless = { claims: { readOnlyHint: true } };
  test.each<[string, Match, Partial<Judged>, Action, string[], boolean]>([
    ["a claim relaxes nothing", relaxing, harmless, "allow", [], false],
    ["that of a trusted server does", relaxing, harmless, "allow", ["gmail"], true],
    ["trust in another server", relaxing, harmless, "allow", ["slack"], false],
    ["no claim is destructive", { annotations: { destructiveHint: true } }, {}, "deny", ["gmail"], true],
    ["a claim does not lead past a rule", { annotations: { destructiveHint: true } }, harmless, "deny", [], true],
    [
      "what only reads is not destructive",
      { annotations: { destructiveHint: true } },
      harmless,
      "deny",
      ["gmail"],
      false,
    ],
    ["no claim is of the open world", { annotations: { openWorldHint: true } }, {}, "ask", [], true],
  ])("%s", (_what, match, judged, action, trust, expected) => {
    expect(fits(match, judged, action, trust)).toBe(expected);
  });
});

describe("conditions", () => {
  test.each<[string, unknown, boolean]>([
    ["size(args.rows) > 100", { rows: Array(101).fill(1) }, true],
    ["size(args.rows) > 100", { rows: [1] }, false],
    ['args.to.exists(x, x.endsWith("evil.io"))', { to: ["a@evil.io"] }, true],
    ['tool == "send_mail" && via == "code" && annotations.destructiveHint', {}, true],
    ['has(args.cc) && args.cc != ""', {}, false],
  ])("%s", (when, args, expected) => {
    expect(fits({ when }, { args })).toBe(expected);
    expect(fits({ when }, { args }, "allow")).toBe(expected);
  });

  test.each(["args.rows > 5", "size(args.rows) > 100", "args.constructor == 1", "args"])(
    "one that cannot be told holds back and does not allow: %s",
    (when) => {
      expect(fits({ when }, {}, "deny")).toBe(true);
      expect(fits({ when }, {}, "allow")).toBe(false);
    },
  );

  test.each([
    ['args.x.matches("^(a+)+$")', /uses matches\(\)/],
    ["args.x.all(y, y in args.z)", /uses args inside all\(\)/],
    ["args.x.all(y, y.exists(z, z == 1))", /uses exists\(\) inside all\(\)/],
    ["args.x.contains(args.y)", /looks by contains\(\)/],
    ["args.x +", /is not CEL/],
    ["nothing > 1", /Unknown variable: nothing/],
    ["1 + 1", /gives int/],
    [`${"(".repeat(100)}true${")".repeat(100)}`, /is not CEL/],
  ])("%s is refused when it is read", (when, message) => {
    const made = createPolicy([layer({ rules: [{ match: { when }, action: "deny" }] })], compileCondition);
    expect("problems" in made && made.problems).toMatchObject([
      { path: "rules[0].match.when", message: expect.stringMatching(message) },
    ]);
  });

  test("a walk over the elements of a walk's result is one behind the other", () => {
    expect(fits({ when: "args.x.filter(y, y > 1).all(y, y < 9)" }, { args: { x: [1, 2, 3] } })).toBe(true);
  });
});

describe("layers", () => {
  const all = (action: Action, more: Partial<Rule> = {}): Rule => ({ id: action, match: {}, action, ...more });
  test.each<[string, readonly Partial<Layer>[], Action, string | undefined]>([
    ["nothing is said", [], "allow", undefined],
    ["nothing is said of it", [{ rules: [all("deny", { match: { tool: "other" } })] }], "allow", undefined],
    ["the first rule that fits", [{ rules: [all("allow"), all("deny")] }], "allow", "allow"],
    ["the strictest layer", [{ origin: "managed", rules: [all("ask")] }, { rules: [all("deny")] }], "deny", "deny"],
    ["a project cannot loosen", [{ rules: [all("ask")] }, { origin: "project", rules: [all("allow")] }], "ask", "ask"],
    [
      "a project's preset cannot loosen",
      [{ preset: "locked" }, { origin: "project", preset: "open" }],
      "deny",
      "preset locked",
    ],
    ["a project tightens", [{ preset: "open" }, { origin: "project", rules: [all("deny")] }], "deny", "deny"],
    ["a rule before the preset of its layer", [{ preset: "locked", rules: [all("allow")] }], "allow", "allow"],
    [
      "and not before that of another",
      [{ origin: "managed", preset: "careful" }, { rules: [all("allow")] }],
      "ask",
      "preset careful",
    ],
  ])("%s", (_what, layers, action, rule) => {
    expect(decide(layers)).toMatchObject({ action, ...(rule !== undefined && { rule }) });
  });

  test("a project cannot make a server trusted", () => {
    const rules: Rule[] = [{ id: "reads", match: { annotations: { readOnlyHint: true } }, action: "allow" }];
    const layers: Partial<Layer>[] = [
      { preset: "locked", rules },
      { origin: "project", trust: ["gmail"] },
    ];
    expect(decide(layers, { claims: { readOnlyHint: true } }).action).toBe("deny");
  });

  test("a rule that is tried out is told of and does nothing", () => {
    const tried = all("deny", { id: "draft", shadow: true });
    expect(decide([{ rules: [tried, all("ask")] }])).toMatchObject({
      action: "ask",
      shadow: [{ rule: "draft", action: "deny" }],
    });
  });

  test("a rule without a name goes by its place, and its words go with the decision", () => {
    const rules = [all("allow", { match: { tool: "x" } }), { match: {}, action: "deny" as const, reason: "not now" }];
    expect(decide([{ rules }])).toMatchObject({ rule: "rules[1]", origin: "user", reason: "not now" });
  });
});

describe("presets", () => {
  const harmless = { readOnlyHint: true };
  const additive = { destructiveHint: false };
  test.each<[Partial<Judged>, Action, Action, Action]>([
    [{}, "allow", "ask", "deny"],
    [{ claims: harmless }, "allow", "allow", "deny"],
    [{ claims: additive }, "allow", "allow", "deny"],
    [{ claims: { destructiveHint: true } }, "allow", "ask", "deny"],
    [{ kind: "own", tool: "skills.save" }, "allow", "ask", "deny"],
    [{ kind: "resource" }, "allow", "allow", "deny"],
    [{ kind: "prompt" }, "allow", "allow", "deny"],
    [{ kind: "completion" }, "allow", "allow", "deny"],
    [{ kind: "other" }, "allow", "allow", "deny"],
    [{ kind: "list" }, "allow", "allow", "allow"],
  ])("%j", (judged, ...expected) => {
    const presets = ["open", "careful", "locked"] as const;
    expect(presets.map((preset) => decide([{ preset }], judged).action)).toEqual(expected);
  });
});

test("what was decided can be traced to the rules, wherever their file lies", () => {
  const hashOf = (more: Partial<Layer>) => {
    const made = createPolicy([layer(more)], compileCondition);
    return "policy" in made && made.policy.hash;
  };
  expect(hashOf({ file: "/a" })).toBe(hashOf({ file: "/b" }));
  expect(hashOf({ preset: "careful" })).not.toBe(hashOf({ preset: "locked" }));
});

test("whether anybody can be asked at all is known beforehand", () => {
  const canAsk = (more: Partial<Layer>) => {
    const made = createPolicy([layer(more)], compileCondition);
    return "policy" in made && made.policy.canAsk;
  };
  const ask: Rule = { match: {}, action: "ask" };
  expect([{}, { preset: "locked" as const }, { rules: [{ ...ask, shadow: true }] }].map(canAsk)).toEqual([
    false,
    false,
    false,
  ]);
  expect([{ preset: "careful" as const }, { rules: [ask] }].map(canAsk)).toEqual([true, true]);
});

test("what a server claims in other words than true and false, it does not claim", () => {
  const claims = JSON.parse('{ "readOnlyHint": "yes", "destructiveHint": 0 }');
  expect(decide([{ preset: "careful", trust: ["gmail"] }], { claims }).action).toBe("ask");
});
