import * as z from "zod";
import { actName } from "../../approvals/show-approval.ts";
import { visibleText } from "../../approvals/visible-text.ts";
import { allowed } from "../../catalog/glob.ts";
import { canonicalJson } from "../../door/canonical-json.ts";
import { judgedOf } from "../../door/policy-gate.ts";
import { CoordinatorError } from "../../errors.ts";
import { showRuleName } from "../../policy/decision-text.ts";
import type { Decision } from "../../policy/policy.ts";
import { ruleName } from "../../policy/policy.ts";
import type { Action, Judged, Layer } from "../../policy/rule.ts";
import { nearest } from "../../system/nearest.ts";
import { defineOperation } from "../operation.ts";
import type { Services } from "../services.ts";
import { placeIn } from "./lint-policy.ts";

interface LayerAnswer {
  readonly origin: Layer["origin"];
  readonly file: string;
  /** Absent where it says nothing. */
  readonly action?: Action;
  readonly rule?: string;
  /** Where the rule stands in the file. */
  readonly path?: string;
}

interface TestedPolicy {
  readonly act: Pick<Judged, "kind" | "server" | "tool" | "via" | "args">;
  readonly decision: Decision & Pick<LayerAnswer, "path"> & { readonly file?: string };
  readonly layers: readonly LayerAnswer[];
  /** Of which policy. */
  readonly hash: string;
  /** What else there is to know of such a call. */
  readonly notes: readonly string[];
}

const kinds = ["tool", "resource", "prompt", "completion", "list", "own"] as const;
const coordinator = "coordinator";

/** For people: what the rules say to a call that nobody makes. */
export function testPolicyOperation(services: Services) {
  return defineOperation({
    name: "test_policy",
    description: "What the rules in force say to a call, and which rule says it; nothing is sent",
    readOnly: true,
    input: () =>
      z.strictObject({
        server: z.string(),
        tool: z.string().describe("a tool, a method of the protocol, or an act of our own"),
        args: z.record(z.string(), z.unknown()).default({}),
        via: z.string().default("code"),
        kind: z.enum(kinds).optional().describe('tool when absent; own for the server "coordinator"'),
      }),
    async run({ server, tool, args, via, kind: given }): Promise<TestedPolicy> {
      const policy = await services.policy.now();
      const { layers } = services.policy;
      const isConfigured = services.libraries.modules.some(({ name }) => name === server);
      const kind = given ?? (server === coordinator && !isConfigured ? "own" : "tool");
      const known = kind === "tool" && isConfigured ? (await services.libraries.load([server])).get(server) : undefined;
      const judged = judgedOf(
        { kind, server, name: tool, args: JSON.parse(canonicalJson(args)) },
        via,
        known?.tools.get(tool)?.annotations,
      );
      const answers = policy.explain(judged);
      const shown = layers.map((layer, index) => answerIn(layer, answers[index]));
      const decision = policy.decide(judged);
      const { action, rule, origin } = decision;
      const by = answers.findIndex((one) => one?.action === action && one.rule === rule && one.origin === origin);
      const { file, path } = shown[by] ?? {};
      return {
        act: { kind, server, tool, via, args },
        decision: { ...decision, ...(file !== undefined && { file }), ...(path !== undefined && { path }) },
        layers: shown,
        hash: policy.hash,
        notes: kind === "tool" ? notesOn(services, server, tool, known) : [],
      };
    },
    present: (tested) => ({ text: showTested(tested) }),
  });
}

function answerIn({ origin, file, rules }: Layer, answer: { action: Action; rule: string } | undefined): LayerAnswer {
  if (answer === undefined) return { origin, file };
  const { action, rule } = answer;
  const index = rules.findIndex((one, at) => !one.shadow && one.action === action && ruleName(one, at) === rule);
  return { origin, file, action, rule, ...(index >= 0 && { path: placeIn(origin, `policy.rules[${index}]`) }) };
}

/** What stands in the way of the call beside the rules, and what was not known when they were asked. */
function notesOn(
  { libraries }: Services,
  server: string,
  tool: string,
  known: { readonly tools: ReadonlyMap<string, unknown> } | undefined,
): string[] {
  const names = [...libraries.modules, ...libraries.leftOut].map(({ name }) => name);
  if (!names.includes(server)) return [`No server ${JSON.stringify(server)} is configured${didYouMean(server, names)}`];
  try {
    if (!allowed(tool, libraries.server(server).tools))
      return [`The entry of ${JSON.stringify(server)} leaves this tool out ("tools"), whatever the rules say.`];
  } catch (thrown) {
    if (thrown instanceof CoordinatorError) return [thrown.message];
    throw thrown;
  }
  if (known === undefined)
    return [`${JSON.stringify(server)} was never asked for its tools: what this one claims counts as not said.`];
  if (known.tools.has(tool)) return [];
  return [`${JSON.stringify(server)} has no tool ${JSON.stringify(tool)}${didYouMean(tool, known.tools.keys())}`];
}

function didYouMean(name: string, candidates: Iterable<string>): string {
  const close = nearest(name, candidates);
  return close === undefined ? "." : `. Did you mean ${JSON.stringify(close)}?`;
}

function showTested({ act, decision, layers, notes }: TestedPolicy): string {
  const { action, rule, reason, approver, shadow, file, path } = decision;
  const name = act.kind === "tool" || act.kind === "own" ? actName(act) : `${act.kind} ${actName(act)}`;
  const place = file === undefined ? "" : ` (${[file, path].filter(Boolean).join(": ")})`;
  const by = rule === undefined ? "no rule fits it" : `by ${showRuleName(rule)}${place}`;
  const why = [
    ...(reason === undefined ? [] : [reason]),
    ...(approver === undefined ? [] : [`decided by ${approver}`]),
  ];
  return visibleLines([
    `${action}: ${name} via ${act.via}, ${by}${why.length > 0 ? `: ${why.join("; ")}` : ""}`,
    ...layers.map((layer) => `  ${layer.origin.padEnd(8)}${layer.file}: ${showAnswer(layer)}`),
    ...shadow.map((one) => `  tried out: ${showRuleName(one.rule)} would ${one.action}`),
    ...notes,
  ]);
}

function showAnswer({ action, rule }: LayerAnswer): string {
  return action === undefined || rule === undefined ? "nothing" : `${action}, ${showRuleName(rule)}`;
}

function visibleLines(lines: readonly string[]): string {
  return lines.map(visibleText).join("\n");
}
