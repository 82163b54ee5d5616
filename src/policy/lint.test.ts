import { expect, test } from "vitest";
import { type KnownTools, lintPolicy } from "./lint.ts";
import type { Layer, Match, Rule } from "./rule.ts";

const known: KnownTools = new Map([
  ["github", ["create_issue", "delete_repo"]],
  ["gmail", ["send_mail"]],
  ["crm", undefined],
]);
const rule = (match: Match, more: Partial<Rule> = {}): Rule => ({ match, action: "deny", ...more });
const lint = (rules: readonly Rule[], origin: Layer["origin"] = "user") =>
  lintPolicy([{ origin, file: "/x.json", trust: [], rules }], known).map(({ path, message }) => [path, message]);

test.each<[string, readonly Rule[], string | undefined]>([
  ["an equal rule behind", [rule({ tool: "send_*" }), rule({ tool: "send_*" })], "policy.rules[1]"],
  ["a narrower rule behind", [rule({ server: "g*" }), rule({ server: "github", tool: "delete_*" })], "policy.rules[1]"],
  ["a narrower glob behind", [rule({ tool: "*_*" }), rule({ tool: "send_*" })], "policy.rules[1]"],
  ["with arguments, behind one without", [rule({}), rule({ args: { "/a": "x" } })], "policy.rules[1]"],
  ["one of its kinds is free", [rule({}), rule({ kind: ["tool", "resource"] })], undefined],
  ["a wider rule behind", [rule({ tool: "send_mail" }), rule({ tool: "send_*" })], undefined],
  ["other arguments", [rule({ args: { "/a": "y" } }), rule({ args: { "/a": "x" } })], undefined],
  ["another face", [rule({ via: "cli" }), rule({ via: "code" })], undefined],
  ["behind one that is tried out", [rule({}, { shadow: true }), rule({})], undefined],
  ["a glob that only looks wider", [rule({ tool: "send_?" }), rule({ tool: "send_*" })], undefined],
])("a rule that never decides: %s", (_what, rules, path) => {
  const found = lint(rules).filter(([, message]) => message?.includes("never decides"));
  expect(found.map(([where]) => where)).toEqual(path === undefined ? [] : [path]);
});

test.each<[Match, string | undefined]>([
  [{ server: "gihtub" }, 'names no configured server: "gihtub". Did you mean "github"?'],
  [{ server: "gmail", tool: "send_mial" }, 'names no tool that there is: "send_mial". Did you mean "send_mail"?'],
  [{ tool: "delete_all_*" }, undefined], // crm was never asked
  [{ server: "g*", tool: "drop_*" }, 'names no tool that there is: "drop_*"'],
  [{ server: "crm", tool: "anything" }, undefined],
  [{ kind: "own", tool: "skills.save" }, undefined],
])("a pattern that fits nothing: %j", (match, message) => {
  expect(lint([rule(match)]).map(([, said]) => said)).toEqual(message === undefined ? [] : [message]);
});

test("a project's rule that allows has no effect", () => {
  const allow = rule({}, { action: "allow" });
  expect(lint([allow])).toEqual([]);
  expect(lint([allow], "project")).toEqual([
    ["policy.rules[0]", "has no effect on other rules: a project may only tighten (/x.json)"],
  ]);
});

test.each<[string, Rule, string | undefined]>([
  ["a face", rule({ via: "codee" }), 'names no face: "codee". Did you mean "code"?'],
  ["faces that there are", rule({ via: ["c*", "skill:report"] }), undefined],
  [
    "an act of ours",
    rule({ kind: "own", tool: "skill.save" }),
    'names no act of our own: "skill.save". Did you mean "skills.save"?',
  ],
  ["acts of ours", rule({ kind: "own", tool: ["packages.*", "network:*.acme.com"] }), undefined],
  [
    "whose acts they are",
    rule({ kind: "own", server: "github" }),
    'fits nothing: the server of our own acts is "coordinator"',
  ],
])("a slip that leaves a rule without effect: %s", (_what, one, message) => {
  expect(lint([one]).map(([, said]) => said)).toEqual(message === undefined ? [] : [message]);
});

test("two rules of one name, and a trust that reaches no server, are told", () => {
  const twice = [rule({ tool: "send_mail" }, { id: "one" }), rule({ tool: "create_issue" }, { id: "one" })];
  expect(lint(twice)).toEqual([
    ["policy.rules[1]", "has the id of rules[0] too: what is decided by either is told under one name"],
  ]);
  const trusting = (origin: Layer["origin"]) =>
    lintPolicy([{ origin, file: "/x.json", trust: ["gmial"], rules: [] }], known).map(({ path, message }) => [
      path,
      message,
    ]);
  expect(trusting("user")).toEqual([["policy.trust[0]", 'names no configured server: "gmial". Did you mean "gmail"?']]);
  expect(trusting("project")).toEqual([["policy.trust[0]", "has no effect: a project cannot make a server trusted"]]);
});
