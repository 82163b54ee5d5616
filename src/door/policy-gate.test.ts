import { expect, test } from "vitest";
import { local } from "../actor.ts";
import type { Rule } from "../policy/rule.ts";
import { toolCall } from "./act.ts";
import { createPolicyGate } from "./policy-gate.ts";
import { policyOf } from "./policy-in-force.ts";

async function refusal(...rules: readonly Rule[]) {
  const policy = await policyOf([{ origin: "user", file: "/x.json", path: [], trust: [], rules }]);
  const gate = createPolicyGate({ inForce: { now: () => policy }, claims: () => undefined });
  const verdict = await gate.judge(toolCall("gmail", "send_mail", { to: "eve@example.net" }), {
    ...local,
    via: "code",
  });
  return verdict && "deny" in verdict ? verdict.deny : undefined;
}

test("a refusal names the rule and its reason, and says whether other arguments could help", async () => {
  const outside: Rule = {
    ...{ id: "mail", match: { tool: "send_*", args: { "/to": { not: "*@acme.com" } } }, action: "deny" },
    reason: "mail stays in the company",
  };
  expect(await refusal(outside)).toMatchObject({
    code: "tool_denied",
    message: 'gmail.send_mail is denied by the rule "mail": mail stays in the company',
    hint: "Nothing was sent. It is denied with these arguments; only the user can change the rules.",
  });
  expect(await refusal({ match: { tool: "send_*" }, action: "deny" })).toMatchObject({
    message: 'gmail.send_mail is denied by the rule "rules[0]"',
    hint: "Nothing was sent. Do without it: only the user can change the rules.",
  });
});
