import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import type { Approval } from "../../approvals/approval.ts";
import { waitingText } from "../../approvals/needs-approval.ts";
import { actName, stateOf } from "../../approvals/show-approval.ts";
import { plainLine } from "../../catalog/plain-text.ts";
import type { RunDetail } from "../../door/journal.ts";
import { type RunResult, runStatuses, showRun } from "../../runtime/results/run-result.ts";
import { defineOperation, type OperationContext } from "../operation.ts";
import { unknownRun } from "../runs.ts";
import type { Services } from "../services.ts";
import { presentRun } from "./present-run.ts";

/** Between two looks whether the run has ended, in whichever process it goes on. */
const lookMs = 50;

export function resumeRun(services: Services) {
  const { journal, config } = services;
  return defineOperation({
    name: "resume_run",
    description: "Result of a run that waits for the user's approval",
    toolset: "runs",
    readOnly: true,
    input: () => z.strictObject({ run: z.string() }),
    async run({ run }, context): Promise<RunResult> {
      const found = await journal.getRun(run);
      if (!found || !isTheirs(found, context)) throw unknownRun(run);
      await waitForEnd(run, context, services);
      const now = (await journal.getRun(run)) ?? found;
      const answer = await journal.answerOf(run);
      // One that ended undecided is told as it is now: what it asked may be decided since, or over.
      if (answer !== undefined && now.status !== "needs_approval") return answerOf(run, answer);
      return describeRun(now, services);
    },
    present: (run) => presentRun(run, showRun(run), config.output.format),
  });
}

/** By the name of the client: it may have connected anew meanwhile. */
function isTheirs({ client }: RunDetail, context: OperationContext): boolean {
  return client === undefined || context.client === undefined || client === context.client;
}

/** Until it has ended, or for as long as a request waits for a person; whoever asks for it can be asked meanwhile. */
async function waitForEnd(
  run: string,
  { caller, signal }: OperationContext,
  { journal, desk, config }: Services,
): Promise<void> {
  const over = new AbortController();
  const deadline = performance.now() + config.approvals.waitSeconds * 1000;
  let hasJoined = false;
  try {
    while (!signal?.aborted && performance.now() < deadline && (await journal.isUnderWay(run))) {
      if (!hasJoined) hasJoined = desk.join(run, caller, over.signal);
      await pause(lookMs);
    }
  } finally {
    over.abort();
  }
}

/** What was kept of a run is our own; an act that was a run of its own has less of it. */
function answerOf(run: string, answer: string): RunResult {
  return { calls: { total: 1, failed: 0 }, ...(JSON.parse(answer) as Omit<RunResult, "run" | "calls">), run };
}

/** A run of which no result is there: it goes on, or is over and was not kept, or its process is gone. */
async function describeRun(found: RunDetail, services: Services): Promise<RunResult> {
  const { id: run, status, error, toolCalls, calls: total } = found;
  const failed = toolCalls.filter(({ outcome }) => outcome !== "ok" && outcome !== "running").length;
  const calls = { total, failed };
  if (status === "running") {
    const hint = `Call resume_run with run ${JSON.stringify(run)} again for its result.`;
    return {
      status: "needs_approval",
      error: { code: "needs_approval", message: "The run still goes on", hint },
      run,
      calls,
    };
  }
  if (status === "needs_approval") {
    const { message, hint } = await explainWait(found, services);
    return {
      status: "needs_approval",
      error: { code: "needs_approval", message, ...(hint !== undefined && { hint }) },
      run,
      calls,
    };
  }
  const known = runStatuses.find((one) => one === status);
  const lost = `The run ended (${status}); what it printed was not kept`;
  if (known === "ok") return { status: known, notices: [lost], run, calls };
  return { status: known ?? "error", error: { message: error ?? lost }, run, calls };
}

/** What it waits for, in whichever process; or that nobody is there any more to send anything for it. */
async function explainWait(
  found: RunDetail,
  { desk, approvals, journal, config }: Services,
): Promise<{ readonly message: string; readonly hint?: string | undefined }> {
  const { id: run } = found;
  const here = await desk.explain(run);
  if (here) return here;
  const asked = await approvals.list({ run });
  if (!(await journal.isUnderWay(run))) return lostRun(found, asked);
  const pending = asked.filter(({ state }) => state === "pending");
  return waitingText({ run, pending, done: doneIn(found).length, channels: config.approvals.channels });
}

function doneIn({ toolCalls }: RunDetail): RunDetail["toolCalls"] {
  return toolCalls.filter(({ outcome }) => outcome !== "refused" && outcome !== "not_sent");
}

const mostShown = 20;

/** A run whose process is gone: nothing can be sent for it any more. */
function lostRun(found: RunDetail, asked: readonly Approval[]) {
  const { id, error } = found;
  const done = doneIn(found).map((call) => `${actName(call)} ${brief(call.args)}: ${outcomes[call.outcome]}`);
  const open = asked
    .filter(({ uses }) => uses === 0)
    .map((one) => `${actName(one)} ${brief(one.args)}: ${stateOf(one)}`);
  const end = error ?? `The run ${id} waited for approval when its process ended; nothing is sent for it any more.`;
  const message = `${plainLine(end, longestEnd)}\nDone:${lines(done)}\nNot done:${lines(open)}`;
  const hint =
    "It cannot go on, whatever is decided now. Running code again is another run: leave out what is done; the rest is asked about again.";
  return { message, hint };
}

const outcomes: Readonly<Record<RunDetail["toolCalls"][number]["outcome"], string>> = {
  ok: "done.",
  failed: "it failed.",
  unknown: "it may have been done; what became of it is not known.",
  cancelled: "it may have been done; it was cancelled.",
  running: "it is under way.",
  not_sent: "not sent.",
  refused: "refused.",
};

const longestEnd = 1000;

function lines(texts: readonly string[]): string {
  const more = texts.length > mostShown ? [`and ${texts.length - mostShown} more`] : [];
  return [...texts.slice(0, mostShown), ...more].map((text) => `\n  ${text}`).join("") || " nothing";
}

/** As much of the arguments as tells calls apart. */
const longestArgs = 80;

function brief(args: string): string {
  return plainLine(args, longestArgs);
}
