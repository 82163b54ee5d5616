import * as z from "zod";
import { plainLine } from "../catalog/plain-text.ts";
import { CoordinatorError } from "../errors.ts";
import { isReadable, type RunDetail, type RunSummary } from "../store/run-history.ts";
import { defineOperation } from "./operation.ts";
import type { Services } from "./services.ts";

export function listRuns({ journal }: Services) {
  return defineOperation({
    name: "list_runs",
    description: "The newest runs in the journal",
    toolset: "runs",
    readOnly: true,
    hints: { openWorld: false },
    input: z.strictObject({ limit: z.int().min(1).max(1000).optional(), before: z.string().optional() }),
    run: async ({ limit = 20, before }): Promise<RunSummary[]> => journal.listRuns({ limit, before }),
    show: (runs) => runs.map(showSummary).join("\n") || "No runs yet.",
  });
}

export function getRun({ journal }: Services) {
  return defineOperation({
    name: "get_run",
    description: "One run: its code, how it ended, and every tool call it made",
    toolset: "runs",
    readOnly: true,
    hints: { openWorld: false },
    input: z.strictObject({ run: z.string() }),
    async run({ run }): Promise<RunDetail> {
      const found = journal.getRun(run);
      if (found) return found;
      throw unknownRun(run);
    },
    show: showDetail,
  });
}

export function cancelRun({ journal, underWay }: Services) {
  return defineOperation({
    name: "cancel_run",
    description: "End a run that is under way; what it has done stays done",
    toolset: "runs",
    readOnly: false,
    hints: { idempotent: true, openWorld: false },
    input: z.strictObject({ run: z.string() }),
    async run({ run }) {
      if (underWay.cancel(run)) return { run, cancelled: true };
      if (!journal.getRun(run)) throw unknownRun(run);
      if (!journal.isUnderWay(run)) return { run, cancelled: false };
      throw new CoordinatorError("run_unknown", `The run "${run}" is one of another coordinator, which has to end it`);
    },
    show: ({ run, cancelled }) => (cancelled ? `The run ${run} is being ended` : `The run ${run} had ended before`),
  });
}

function unknownRun(run: string): CoordinatorError {
  return new CoordinatorError("run_unknown", `The journal has no run "${run}"`, {
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

function showDetail(run: RunDetail): string {
  const calls = run.toolCalls.map(({ server, tool, args, outcome, milliseconds, error }) => {
    const took = milliseconds === undefined ? "" : ` ${milliseconds.toFixed(1)} ms`;
    return `  ${outcome}${took}  ${server}.${tool} ${plainLine(args, 200)}${error ? `  ${plainLine(error, 200)}` : ""}`;
  });
  return [showSummary(run), "", run.code, "", calls.length > 0 ? "calls:" : "no calls", ...calls].join("\n");
}
