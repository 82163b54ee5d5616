import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import type { Approval } from "../../approvals/approval.ts";
import type { RunDetail } from "../../door/journal.ts";
import { type RunResult, runStatuses, showRun } from "../../runtime/results/run-result.ts";
import { plural } from "../../system/plural.ts";
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
    hints: { destructiveHint: false, idempotentHint: true },
    input: () => z.strictObject({ run: z.string() }),
    async run({ run }, context): Promise<RunResult> {
      const found = await journal.getRun(run);
      if (!found || !isTheirs(found, context)) throw unknownRun(run);
      await waitForEnd(run, context, services);
      const answer = await journal.answerOf(run);
      if (answer !== undefined) return answerOf(run, answer);
      return describeRun((await journal.getRun(run)) ?? found, services);
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
async function describeRun(found: RunDetail, { desk, approvals }: Services): Promise<RunResult> {
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
    const waiting = await desk.explain(run);
    const { message, hint } = waiting ?? lostRun(found, await approvals.list({ run }));
    return {
      status: "needs_approval",
      error: { code: "needs_approval", message, ...(hint !== undefined && { hint }) },
      run,
      calls,
    };
  }
  const known = runStatuses.find((one) => one === status);
  const message = error ?? `The run ended (${status}); what it printed was not kept`;
  return { status: known ?? "error", ...(known !== "ok" && { error: { message } }), run, calls };
}

const mostShown = 20;

/** A run whose process is gone: nothing can be sent for it any more. */
function lostRun({ id, toolCalls }: RunDetail, asked: readonly Approval[]) {
  const lines = (texts: readonly string[]) =>
    [...texts.slice(0, mostShown), ...(texts.length > mostShown ? [`and ${texts.length - mostShown} more`] : [])]
      .map((text) => `\n  ${text}`)
      .join("");
  const done = toolCalls.filter(({ outcome }) => outcome !== "refused" && outcome !== "not_sent");
  const open = asked.filter(({ state, uses }) => state === "pending" || (state === "approved" && uses === 0));
  const doneLines = lines(done.map(({ server, tool, outcome }) => `${server}.${tool} (${outcome})`));
  const openLines = lines(open.map(({ server, tool, state }) => `${server}.${tool} (${state})`));
  const message = `The run ${id} waited for approval of ${plural(open.length, "call")} when its process ended; nothing is sent for it any more.\nDone:${doneLines || " nothing"}\nNot done:${openLines || " nothing"}`;
  const hint =
    "It cannot go on. Running code again is another run: leave out what is done; the rest is asked about again.";
  return { message, hint };
}
