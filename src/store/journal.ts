import { CoordinatorError } from "../errors.ts";
import { callId, callsPerRun } from "./call-id.ts";
import type { Connection, Value } from "./connection.ts";
import { toStored } from "./exact-text.ts";
import { thisProcess } from "./owner.ts";
import { type CallOutcome, findRun, findRuns, type RunDetail, type RunSummary } from "./run-history.ts";

export interface RunStart {
  /** Sorts after the ids of earlier runs. */
  readonly id: string;
  readonly language: string;
  readonly engine: string;
  readonly code: string;
  readonly client?: string | undefined;
}

export interface RunFinish {
  readonly status: string;
  readonly error?: string | undefined;
  readonly calls: number;
  readonly resultBytes: number;
  readonly stdoutBytes: number;
}

export interface CallIntent {
  readonly run: string;
  readonly server: string;
  readonly tool: string;
  /** JSON, cut to a sensible length by the caller. */
  readonly args: string;
}

export interface CallSettlement {
  readonly outcome: CallOutcome;
  readonly error?: string | undefined;
  readonly resultBytes?: number | undefined;
  readonly milliseconds: number;
}

/** How long an outcome may wait for a write to travel with. */
const patience = 50;

/**
 * The durable record of runs and tool calls. An intent is in the file when `intend` returns; an outcome waits for the
 * next write, at most 50 ms, because a commit is what costs. If the process dies in between, the call reads `unknown`.
 */
export class Journal {
  readonly #connection: Connection;
  /** The runs of this process that go on, with the ordinal of their next call. */
  readonly #runs = new Map<string, { readonly number: number; nextOrdinal: number }>();
  readonly #unsettled = new Set<number>();
  #outcomes: OutcomeRow[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  startRun({ id, language, engine, code, client }: RunStart): void {
    const owner = thisProcess();
    const { lastRow } = this.#connection.run(insertRun, [
      toStored(id),
      toStored(language),
      toStored(engine),
      toStoredOrNull(client),
      owner.pid,
      owner.mark,
      Date.now(),
      toStored(code),
    ]);
    this.#runs.set(id, { number: lastRow, nextOrdinal: 0 });
  }

  /** Writes the outcomes that wait, too. */
  finishRun(id: string, { status, error, calls, resultBytes, stdoutBytes }: RunFinish): void {
    const { number } = this.#ongoing(id);
    this.#writeOutcomesAnd(() => {
      const values = [Date.now(), toStored(status), calls, resultBytes, stdoutBytes, toStoredOrNull(error), number];
      this.#connection.run(updateRun, values);
    });
    this.#runs.delete(id);
  }

  /** Answers the call's id, once the intent is committed: only then may the call be sent. */
  intend({ run, server, tool, args }: CallIntent): number {
    const id = this.#nextCallId(run);
    const intent = [id, toStored(server), toStored(tool), Date.now(), toStored(args)];
    const [outcome, second] = this.#outcomes;
    if (outcome === undefined) {
      this.#connection.run(insertIntent, intent);
    } else if (second === undefined) {
      this.#connection.run(insertIntentWithOutcome, [...outcome, ...intent]);
      this.#outcomes = [];
    } else {
      this.#writeOutcomesAnd(() => this.#connection.run(insertIntent, intent));
    }
    this.#unsettled.add(id);
    return id;
  }

  /** The first outcome of a call stays; a later one is ignored. */
  settle(call: number, { outcome, error, resultBytes, milliseconds }: CallSettlement): void {
    if (!this.#unsettled.delete(call)) return;
    this.#outcomes.push([call, outcome, milliseconds, resultBytes ?? null, toStoredOrNull(error)]);
    this.#timer ??= setTimeout(() => this.#flushInBackground(), patience).unref();
  }

  /** Newest first; `before` is the id of a run, to page on. */
  listRuns(page: { readonly limit: number; readonly before?: string | undefined }): RunSummary[] {
    this.flush();
    return findRuns(this.#connection, page);
  }

  getRun(id: string): RunDetail | undefined {
    this.flush();
    return findRun(this.#connection, id);
  }

  /** Writes the outcomes that wait. */
  flush(): void {
    if (this.#outcomes.length > 0) this.#writeOutcomesAnd(() => undefined);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.flush();
  }

  #ongoing(id: string): { readonly number: number; nextOrdinal: number } {
    const run = this.#runs.get(id);
    if (run === undefined) {
      throw new CoordinatorError("run_unknown", `Cannot write to run "${id}": it was not started here, or has ended`);
    }
    return run;
  }

  #nextCallId(id: string): number {
    const run = this.#ongoing(id);
    if (run.nextOrdinal === callsPerRun) {
      throw new CoordinatorError("input_invalid", `Cannot record another call of run "${id}": it has ${callsPerRun}`);
    }
    return callId(run.number, run.nextOrdinal++);
  }

  #writeOutcomesAnd(work: () => void): void {
    this.#connection.transaction(() => {
      for (const [call, ...outcome] of this.#outcomes) this.#connection.run(updateOutcome, [...outcome, call]);
      work();
    });
    this.#outcomes = [];
  }

  #flushInBackground(): void {
    this.#timer = undefined;
    try {
      this.flush();
    } catch {
      // A timer has nobody to tell. The outcomes stay for the next write, which tells its caller.
    }
  }
}

/** Call, outcome, milliseconds, bytes of the result, error. */
type OutcomeRow = readonly [number, CallOutcome, number, number | null, Value];

function toStoredOrNull(text: string | undefined): Value {
  return text === undefined ? null : toStored(text);
}

const insertRun = `
  INSERT INTO runs (id, language, engine, client, owner_pid, owner_mark, started_at, code)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

const updateRun = `
  UPDATE runs SET finished_at = ?, status = ?, calls = ?, result_bytes = ?, stdout_bytes = ?, error = ?
  WHERE number = ?`;

const insertIntent = "INSERT INTO calls (id, server, tool, started_at, args) VALUES (?, ?, ?, ?, ?)";

const updateOutcome = "UPDATE calls SET outcome = ?, milliseconds = ?, result_bytes = ?, error = ? WHERE id = ?";

/**
 * The outcome of one call and the intent of the next in one statement, which takes two thirds of the time of the
 * same in a transaction: this is what a guest that calls one tool after the other pays for each.
 */
const insertIntentWithOutcome = `
  INSERT INTO calls (id, outcome, milliseconds, result_bytes, error, server, tool, started_at, args)
  VALUES (?, ?, ?, ?, ?, '', '', 0, ''), (?, NULL, NULL, NULL, NULL, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET outcome = excluded.outcome, milliseconds = excluded.milliseconds,
    result_bytes = excluded.result_bytes, error = excluded.error`;
