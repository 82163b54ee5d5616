import * as z from "zod";
import { plainLine } from "../catalog/plain-text.ts";
import { isReadable, type RunDetail, type RunSummary } from "../door/journal.ts";
import { CoordinatorError } from "../errors.ts";
import { type Cut, cutText, cutValue } from "../runtime/results/cut.ts";
import { defineOperation } from "./operation.ts";
import type { Services } from "./services.ts";

export function listRuns({ journal }: Services) {
  return defineOperation({
    name: "list_runs",
    description: "The newest runs in the journal",
    toolset: "runs",
    readOnly: true,
    hints: { openWorldHint: false },
    input: () => z.strictObject({ limit: z.int().min(1).max(1000).optional(), before: z.string().optional() }),
    async run({ limit = 20, before }) {
      const runs: readonly RunSummary[] = await journal.listRuns({ limit, before });
      return { runs, none: before === undefined ? "No runs yet." : `No run is older than ${plainLine(before, 200)}.` };
    },
    present: ({ runs, none }) => ({ data: runs, text: runs.map(showSummary).join("\n") || none }),
  });
}

/** A run as a model gets it. */
interface FittedRun extends RunDetail {
  /** What was cut, and how much of it is there. */
  readonly truncated?: readonly string[];
}

export function getRun({ journal, maxTokens }: Services) {
  return defineOperation({
    name: "get_run",
    description: "One run: its code, how it ended, and every tool call it made",
    toolset: "runs",
    readOnly: true,
    hints: { openWorldHint: false },
    input: () => z.strictObject({ run: z.string() }),
    async run({ run }, { caller }): Promise<FittedRun> {
      const found = await journal.getRun(run);
      if (!found) throw unknownRun(run);
      // Whoever asks in a terminal or from a program gets all of it.
      return caller ? fitRun(found, maxTokens) : found;
    },
    present: (run) => ({ text: showDetail(run) }),
  });
}

export function cancelRun({ journal, underWay }: Services) {
  return defineOperation({
    name: "cancel_run",
    description: "End a run that is under way; what it has done stays done",
    toolset: "runs",
    hints: { idempotentHint: true, openWorldHint: false },
    input: () => z.strictObject({ run: z.string() }),
    async run({ run }) {
      if (underWay.cancel(run)) return { run, cancelled: true };
      if (!(await journal.getRun(run))) throw unknownRun(run);
      if (!(await journal.isUnderWay(run))) return { run, cancelled: false };
      throw new CoordinatorError("run_unknown", `The run "${run}" belongs to another coordinator, which has to end it`);
    },
    present: ({ run, cancelled }) => ({
      text: cancelled ? `The run ${run} is being ended` : `The run ${run} had already ended`,
    }),
  });
}

/** The start and the end of the code, and the first calls, as far as the budget goes. */
function fitRun(run: RunDetail, maxTokens: number): FittedRun {
  const code = cutText(run.code, Math.ceil(maxTokens * 0.6));
  const calls = cutValue(run.toolCalls, Math.ceil(maxTokens * 0.4));
  const truncated = [...cutNote("code", code), ...cutNote("calls", calls)];
  if (truncated.length === 0) return run;
  const toolCalls = run.toolCalls.slice(0, calls.kept?.shown);
  return { ...run, code: code.shown, toolCalls, truncated };
}

function cutNote(what: string, { kept }: Cut<unknown>): string[] {
  return kept ? [`${what}: ${kept.shown} of ${kept.total} ${kept.unit}`] : [];
}

export function unknownRun(run: string): CoordinatorError {
  return new CoordinatorError("run_unknown", `The journal has no run "${plainLine(run, 200)}"`, {
    hint: "`mcp-coordinator runs list` shows the ids; old runs are removed (coordinator.journal.keepDays).",
  });
}

function showSummary(run: RunSummary): string {
  if (!isReadable(run)) return `${run.id}  cannot be read: its row in the database is damaged`;
  const took = run.finishedAt === undefined ? "" : ` ${run.finishedAt - run.startedAt} ms`;
  const error = run.error ? `  ${plainLine(run.error, 100)}` : "";
  const started = new Date(run.startedAt).toISOString();
  return `${run.id}  ${started}  ${run.status}${took}  ${run.calls} ${run.calls === 1 ? "call" : "calls"}  ${run.engine}${error}`;
}

function showDetail(run: FittedRun): string {
  const calls = run.toolCalls.map(({ server, tool, args, outcome, milliseconds, error }) => {
    const took = milliseconds === undefined ? "" : ` ${milliseconds.toFixed(1)} ms`;
    return `  ${outcome}${took}  ${server}.${tool} ${plainLine(args, 200)}${error ? `  ${plainLine(error, 200)}` : ""}`;
  });
  const cut = run.truncated
    ? ["", `[cut: ${run.truncated.join("; ")}; \`mcp-coordinator runs show ${run.id}\` prints all of it]`]
    : [];
  return [showSummary(run), "", run.code, "", calls.length > 0 ? "calls:" : "no calls", ...calls, ...cut].join("\n");
}
