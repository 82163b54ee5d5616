import { resolve } from "node:path";
import * as z from "zod";
import type { OnProgress } from "../../actor.ts";
import { actName } from "../../approvals/show-approval.ts";
import { visibleText } from "../../approvals/visible-text.ts";
import { readDraft } from "../../config/rules/policy-files.ts";
import type { Journal, RecordedCall, RunDetail } from "../../door/journal.ts";
import { judgedOf } from "../../door/policy-gate.ts";
import { type PolicyLayer, policyOf } from "../../door/policy-in-force.ts";
import { CoordinatorError } from "../../errors.ts";
import { showRuleName } from "../../policy/decision-text.ts";
import type { Decision, Policy } from "../../policy/policy.ts";
import { plural } from "../../system/plural.ts";
import { defineOperation } from "../operation.ts";
import type { Services } from "../services.ts";
import { type ChangedCall, createReplayTally, type ReplaySum, type ReplayTally } from "./replay-tally.ts";
import { sinceOf } from "./since.ts";

interface ReplayedPolicy extends ReplaySum {
  readonly since: number;
  /** The file whose rules stood in for the user's; absent where those in force were asked. */
  readonly draft?: string;
  readonly hash: string;
}

/** For people: what would have been, had these rules been in force. */
export function replayPolicyOperation(services: Services) {
  return defineOperation({
    name: "replay_policy",
    description: "Decides the calls of the journal again, and shows which of them would have been decided otherwise",
    readOnly: true,
    input: () =>
      z.strictObject({
        since: z.string().default("7d").describe("30m, 12h, 7d, 2w, or a date"),
        rules: z.string().optional().describe("a file with rules that stand in for the user's"),
        limit: z.int().min(0).max(100_000).default(1000).describe("how many changed calls are listed"),
      }),
    async run({ since: given, rules, limit }, { onProgress }): Promise<ReplayedPolicy> {
      const since = sinceOf(given, Date.now());
      const draft = rules === undefined ? undefined : resolve(rules);
      const now = await services.policy.now();
      const policy = draft === undefined ? now : await policyWith(services.policy.layers, draft);
      const tally = createReplayTally(limit);
      for await (const run of runsSince(services.journal, since, tally, onProgress)) {
        await services.libraries.load([...new Set(run.toolCalls.map(({ server }) => server))]);
        for (const call of run.toolCalls) await decideAgain(services, policy, { run, call }, tally);
      }
      return { since, ...(draft !== undefined && { draft }), hash: policy.hash, ...tally.sum() };
    },
    present: (replayed) => ({ text: showReplayed(replayed) }),
  });
}

/** The draft takes the place of all that the user has set; what the administrator and the project say stays. */
async function policyWith(layers: readonly PolicyLayer[], file: string): Promise<Policy> {
  const draft = await readDraft(file);
  const of = (wanted: PolicyLayer["origin"]) => layers.filter(({ origin }) => origin === wanted);
  return policyOf([...of("managed"), draft, ...of("project")]);
}

/** So many summaries are in memory at a time, and of one run its calls. */
const runsAtATime = 100;

/** The runs that began since then, the newest first, one at a time. */
async function* runsSince(
  journal: Journal,
  since: number,
  tally: ReplayTally,
  onProgress: OnProgress | undefined,
): AsyncGenerator<RunDetail> {
  for (let before: string | undefined; ; ) {
    const page = await journal.listRuns({ limit: runsAtATime, before });
    for (const { id, startedAt } of page) {
      if (startedAt < since) return;
      const run = await readRun(journal, id, tally);
      if (run) yield run;
    }
    before = page.at(-1)?.id;
    if (before === undefined || page.length < runsAtATime) return;
    onProgress?.(`${plural(tally.sum().calls, "call")} decided again`);
  }
}

async function readRun(journal: Journal, id: string, tally: ReplayTally): Promise<RunDetail | undefined> {
  try {
    const run = await journal.getRun(id);
    if (run) tally.onRun();
    return run;
  } catch (thrown) {
    if (!(thrown instanceof CoordinatorError)) throw thrown;
    tally.onUnreadable();
    return undefined;
  }
}

async function decideAgain(
  { journal, libraries }: Pick<Services, "journal" | "libraries">,
  policy: Policy,
  { run, call }: { readonly run: RunDetail; readonly call: RecordedCall },
  tally: ReplayTally,
): Promise<void> {
  const { kind = "tool", server, tool: name, decided } = call;
  if (decided?.decision === "deny" && decided.policy === undefined) return tally.onStoppedBefore();
  const args = await argsOf(journal, call);
  if (args === undefined || run.via === undefined) return tally.onUndecided();
  const claims = kind === "tool" ? libraries.peek(server)?.tools.get(name)?.annotations : undefined;
  const decision: Decision = policy.decide(judgedOf({ kind, server, name, args: args.value }, run.via, claims));
  tally.onDecided(run, call, decision);
}

/** From so many characters on a list of calls has the beginning only. */
const longestListed = 10_000;

async function argsOf(journal: Journal, { id, args: listed }: RecordedCall): Promise<{ value: unknown } | undefined> {
  const text = listed.length < longestListed ? listed : await journal.callArgs(id);
  try {
    return text === undefined ? undefined : { value: JSON.parse(text) };
  } catch {
    return undefined; // an older program cut them
  }
}

function showReplayed(replayed: ReplayedPolicy): string {
  const { since, draft, hash, runs, calls, same, changed, changes, examples, undecided, shadow } = replayed;
  const { stoppedBefore, unreadable } = replayed;
  const rules = draft === undefined ? "the rules in force" : `${visibleText(draft)} in place of the user's rules`;
  const sorts = Object.entries(changes).map(([sort, count]) => `${sort} ${count}`);
  const tried = Object.entries(shadow).map(([rule, count]) => `${visibleText(rule)} ${count}`);
  const more = changed - examples.length;
  return [
    `${plural(calls, "call")} of ${plural(runs, "run")} since ${moment(since)}, decided by ${rules} (policy ${hash.slice(0, 12)})`,
    `${changed} would change${sorts.length > 0 ? `: ${sorts.join(", ")}` : ""}`,
    ...examples.map(showChanged),
    ...(more > 0 ? [`  and ${more} more: a higher limit shows them`] : []),
    `${same} would be decided as they were`,
    ...(stoppedBefore > 0 ? [`${stoppedBefore} were stopped before the rules were asked`] : []),
    ...(undecided > 0 ? [`${undecided} could not be decided: their arguments, or who made them, are not kept`] : []),
    ...(unreadable > 0 ? [`${plural(unreadable, "run")} could not be read`] : []),
    ...(tried.length > 0 ? [`tried out: ${tried.join(", ")}`] : []),
  ].join("\n");
}

function showChanged({ run, at, from, to, ...act }: ChangedCall): string {
  const by = to.rule || from.rule;
  const name = showRuleName(by);
  const whose = to.rule === "" ? `no longer ${name}` : name;
  return `  ${moment(at)}  ${actName(act)}  ${from.action} → ${to.action}, ${visibleText(whose)}  run ${visibleText(run)}`;
}

function moment(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}
