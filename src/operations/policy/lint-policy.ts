import * as z from "zod";
import { visibleText } from "../../approvals/visible-text.ts";
import { type LintFinding, lintPolicy } from "../../policy/lint.ts";
import { plural } from "../../system/plural.ts";
import { defineOperation } from "../operation.ts";
import type { Services } from "../services.ts";
import { knownTools } from "./known-tools.ts";

/** For people: what they would want to know about the rules that they wrote. */
export function lintPolicyOperation(services: Services) {
  return defineOperation({
    name: "lint_policy",
    description: "Rules that never decide, that fit nothing there is, or that have no effect where they stand",
    readOnly: true,
    input: () => z.strictObject({}),
    async run() {
      await services.policy.now();
      const { layers } = services.policy;
      const rules = layers.reduce((sum, layer) => sum + layer.rules.length, 0);
      const unasked = (await services.libraries.missing()).map(({ server }) => server);
      return { rules, findings: await policyFindings(services), unasked };
    },
    present: ({ rules, findings, unasked }) => ({
      text: [
        ...findings.map(showFinding),
        `${plural(rules, "rule")}, ${plural(findings.length, "finding")}`,
        ...(unasked.length > 0 ? [`Not known are the tools of ${unasked.map(visibleText).join(", ")}.`] : []),
      ].join("\n"),
      failed: findings.length > 0,
    }),
  });
}

export async function policyFindings(services: Services): Promise<readonly LintFinding[]> {
  const { layers } = services.policy;
  return layers.length === 0 ? [] : lintPolicy(layers, await knownTools(services));
}

/** A finding on one line, behind its file and the path in it. */
export function showFinding({ origin, file, path, rule, message }: LintFinding): string {
  const name = path.endsWith(rule) ? "" : ` ${JSON.stringify(rule)}`;
  return visibleText(`${file}: ${placeIn(origin, path)}${name} ${message}`);
}

/** Where a part of the policy stands in its file: the administrator's file is nothing but a policy. */
export function placeIn(origin: LintFinding["origin"], path: string): string {
  return origin === "managed" ? path.replace(/^policy\./, "") : `coordinator.${path}`;
}
