import type { Journal, RecordedCall, RunDetail, RunSummary } from "../../../src/door/journal.ts";
import type { RunStart } from "../../../src/door/run-log.ts";
import { CoordinatorError } from "../../../src/errors.ts";
import { byText } from "./by-text.ts";

interface Recorded {
  readonly principal: string;
  readonly start: RunStart;
  readonly startedAt: number;
  calls: Call[];
  answer?: string | undefined;
  end: Pick<RunSummary, "status" | "error" | "finishedAt" | "calls" | "resultBytes" | "stdoutBytes"> | undefined;
}

/** A call without an outcome has not come back. */
type Call = Omit<RecordedCall, "outcome"> & { readonly outcome?: Exclude<RecordedCall["outcome"], "running"> };

/** What the journals of all owners share. */
export function journalRuns() {
  return { runs: new Map<string, Recorded>(), lastCall: 0 };
}

/** Of a call's arguments, in a list of calls. */
const longestShown = 10_000;

export function createJournalInMemory({ shared = journalRuns(), principal = "local" } = {}): Journal {
  const own = (id: string) => {
    const run = shared.runs.get(id);
    return run?.principal === principal ? run : undefined;
  };
  const ongoing = (id: string): Recorded => {
    const run = own(id);
    if (run && !run.end) return run;
    throw new CoordinatorError("run_unknown", `Cannot write to run "${id}": it was not started here, or has ended`);
  };
  const callsOfAll = () => [...shared.runs.values()].filter((run) => run.principal === principal).flatMap(callsOf);
  return {
    async startRun(start) {
      shared.runs.set(start.id, { principal, start, startedAt: Date.now(), calls: [], end: undefined });
    },
    async finishRun(id, { error, answer, ...end }) {
      const run = ongoing(id);
      run.answer = answer;
      run.end = { ...end, ...(error !== undefined && { error }), finishedAt: Date.now() };
    },
    answerOf: async (id) => own(id)?.answer,
    intend({ run, kind, decided, approvals: _used, ...call }) {
      const { calls } = ongoing(run);
      const id = ++shared.lastCall;
      calls.push({ id, ...call, ...(kind && { kind }), ...(decided && { decided }), startedAt: Date.now() });
      return id;
    },
    settle(row, { outcome, error, resultBytes, milliseconds }) {
      for (const run of shared.runs.values()) {
        run.calls = run.calls.map((call) => {
          if (call.id !== row || call.outcome !== undefined) return call;
          const said = { ...(error !== undefined && { error }), ...(resultBytes !== undefined && { resultBytes }) };
          return { ...call, outcome, ...said, milliseconds };
        });
      }
    },
    async listRuns({ limit, before }) {
      const runs = [...shared.runs.values()].filter((run) => run.principal === principal).map(summaryOf);
      return runs
        .filter(({ id }) => before === undefined || id < before)
        .sort(byText("id"))
        .reverse()
        .slice(0, limit);
    },
    async getRun(id) {
      const run = own(id);
      return run && detailOf(run);
    },
    callArgs: async (call) => callsOfAll().find(({ id }) => id === call)?.args,
    async isUnderWay(id) {
      const run = shared.runs.get(id);
      return run !== undefined && !run.end;
    },
  };
}

const callsOf = ({ calls }: Recorded) => calls;

function summaryOf({ start, startedAt, calls, end }: Recorded): RunSummary {
  const { id, language, engine, client, via } = start;
  const about = { id, language, engine, ...(client !== undefined && { client }), ...(via && { via }), startedAt };
  return { ...about, ...(end ?? { status: "running", calls: calls.length }) };
}

function detailOf(run: Recorded): RunDetail {
  const missing = run.end ? "unknown" : "running";
  const toolCalls = run.calls.map(
    (call): RecordedCall => ({ outcome: missing, ...call, args: call.args.slice(0, longestShown) }),
  );
  return { ...summaryOf(run), code: run.start.code, toolCalls };
}
