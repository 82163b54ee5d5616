import type { Journal, RunDetail, RunSummary } from "../../door/journal.ts";
import type { CallIntent } from "../../door/journal-recorder.ts";
import type { ActEnd } from "../../door/recorder.ts";
import type { RunFinish, RunStart } from "../../door/run-log.ts";
import { CoordinatorError } from "../../errors.ts";
import { thisProcess } from "../../system/owner.ts";
import { useApproval } from "./approvals.ts";
import { callId, callsPerRun, runNumberOf } from "./call-id.ts";
import type { CallLog, CallLogEntry, LoggedIntent, LoggedOutcome, SaidOfCall } from "./call-log.ts";
import type { Database, Value } from "./database.ts";
import { toStored } from "./exact-text.ts";
import type { Nodes } from "./nodes.ts";
import { findAnswer, findCallArgs, findRun, findRuns, type History, isUnderWay } from "./run-history.ts";

/** When somebody should look whether the journal has become too large: after this process has written so much, again and again. */
interface Growth {
  readonly growthBytes: number;
  onGrown(): void;
}

const noGrowth: Growth = { growthBytes: Number.POSITIVE_INFINITY, onGrown() {} };

/** Longer code does not run; the errors of guests and servers can be of any length. */
const longestCode = 256_000;
const longestError = 10_000;
const longestName = 200;
/** What a row takes beside its long text, at most. */
const usualRowBytes = 1000;

/** How long calls and outcomes may wait for the database, how many, and with how much text. */
const patience = 50;
const mostWaiting = 256;
const mostWaitingText = 4_000_000;
/** Longer arguments stand apart from their call, once for all calls that have the same. */
const longestInRow = 1000;
/** The arguments of all calls of one run. */
const mostArgsOfRun = 256_000_000;

interface OngoingRun {
  readonly number: number;
  nextOrdinal: number;
  argsLength: number;
}

/**
 * The durable record of runs and tool calls. An intent is on disk when `intend` returns, in the log of this process;
 * calls and outcomes come into the database after 50 ms, many in one commit, because a commit is what costs. If the
 * process dies in between, the next store to be opened brings them there.
 */
export class SqliteJournal implements Journal {
  readonly #database: Database;
  readonly #principal: string;
  readonly #log: CallLog;
  readonly #nodes: Nodes;
  readonly #growth: Growth;
  /** Bytes since it was last told that the journal has grown. */
  #written = 0;
  /** The runs of this process that go on, with the ordinal of their next call. */
  readonly #runs = new Map<string, OngoingRun>();
  readonly #unsettled = new Set<number>();
  /** Calls that the database does not have yet. */
  readonly #intents = new Map<number, { readonly intent: LoggedIntent; outcome: LoggedOutcome | undefined }>();
  /** Outcomes of calls that it has. */
  #outcomes: LoggedOutcome[] = [];
  #waitingText = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, principal: string, log: CallLog, nodes: Nodes, growth: Growth = noGrowth) {
    this.#database = database;
    this.#principal = principal;
    this.#log = log;
    this.#nodes = nodes;
    this.#growth = growth;
  }

  async startRun({ id, language, engine, code: whole, client, via }: RunStart): Promise<void> {
    const owner = thisProcess();
    const code = cut(whole, longestCode);
    const { lastRow } = this.#database.run(insertRun, [
      this.#principal,
      toStored(id),
      toStored(language),
      toStored(engine),
      toStoredOrNull(client?.slice(0, longestName)),
      toStoredOrNull(via?.slice(0, longestName)),
      owner.node,
      owner.epoch,
      Date.now(),
      toStored(code),
    ]);
    this.#runs.set(id, { number: lastRow, nextOrdinal: 0, argsLength: 0 });
    this.#grow(code.length + usualRowBytes);
  }

  /** Writes what waits, too. */
  async finishRun(id: string, { status, error, calls, resultBytes, stdoutBytes, answer }: RunFinish): Promise<void> {
    const { number } = this.#ongoing(id);
    this.#writeWaitingAnd(() => {
      const said = error === undefined ? null : toStored(cut(error, longestError));
      const kept = toStoredOrNull(answer);
      const values = [Date.now(), toStored(status), calls, resultBytes, stdoutBytes, said, kept, number];
      this.#database.run(updateRun, values);
    });
    this.#runs.delete(id);
    this.#grow(answer?.length ?? 0);
  }

  /** Answers the call's id, once the intent is on disk: only then may the call be sent. */
  intend({ run, server, tool, args, argsHash, kind, decided, approvals }: CallIntent): number {
    const id = this.#nextCallId(run, args.length);
    const said = kind || decided ? { kind, decided } : undefined;
    const intent: LoggedIntent = [id, server, tool, Date.now(), args, argsHash, said];
    if (approvals) this.#intendApproved(intent, approvals);
    else {
      this.#log.append(intent);
      this.#intents.set(id, { intent, outcome: undefined });
    }
    this.#unsettled.add(id);
    this.#waitingText += args.length;
    this.#grow(args.length + usualRowBytes);
    this.#writeSoon();
    return id;
  }

  /** One that a person has allowed, which is rare: in the database at once, with what it uses up. */
  #intendApproved(intent: LoggedIntent, approvals: readonly string[]): void {
    const [call] = intent;
    const write = (): void => {
      for (const approval of approvals) useApproval(this.#database, this.#principal, approval, call);
      insertCall(this.#database, intent, undefined);
    };
    this.#writeWaitingAnd(write, { isDurable: true });
  }

  /** The first outcome of a call stays; a later one is ignored. */
  settle(call: number, { outcome, error, resultBytes, milliseconds }: ActEnd): void {
    if (!this.#unsettled.delete(call)) return;
    const said = error === undefined ? null : cut(error, longestError);
    const settled: LoggedOutcome = [call, outcome, milliseconds, resultBytes ?? null, said];
    const waiting = this.#intents.get(call);
    if (waiting) waiting.outcome = settled;
    else this.#outcomes.push(settled);
    this.#log.note(settled);
    this.#writeSoon();
  }

  /** Newest first; `before` is the id of a run, to page on. */
  async listRuns(page: { readonly limit: number; readonly before?: string | undefined }): Promise<RunSummary[]> {
    this.flush();
    return findRuns(this.#history(), page);
  }

  async getRun(id: string): Promise<RunDetail | undefined> {
    this.flush();
    return findRun(this.#history(), id);
  }

  /** What a call was given, whole; undefined when there is no such call. */
  async callArgs(call: number): Promise<string | undefined> {
    this.flush();
    return findCallArgs(this.#history(), call);
  }

  async answerOf(run: string): Promise<string | undefined> {
    this.flush();
    return findAnswer(this.#history(), run);
  }

  /** Whether a run goes on, here or in another process. */
  async isUnderWay(id: string): Promise<boolean> {
    return this.#runs.has(id) || isUnderWay(this.#history(), id);
  }

  /** Writes what waits. */
  flush(): void {
    if (this.#outcomes.length > 0 || this.#intents.size > 0) this.#writeWaitingAnd(() => undefined);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.flush();
    this.#log.close();
  }

  #history(): History {
    return { database: this.#database, principal: this.#principal, nodes: this.#nodes };
  }

  #ongoing(id: string): OngoingRun {
    const run = this.#runs.get(id);
    if (run === undefined) {
      throw new CoordinatorError("run_unknown", `Cannot write to run "${id}": it was not started here, or has ended`);
    }
    return run;
  }

  #nextCallId(id: string, argsLength: number): number {
    const run = this.#ongoing(id);
    if (run.argsLength + argsLength > mostArgsOfRun) {
      throw new CoordinatorError(
        "storage_full",
        `Cannot record another call of run "${id}": the arguments of its calls may have ${mostArgsOfRun} characters together`,
      );
    }
    run.argsLength += argsLength;
    if (run.nextOrdinal === callsPerRun) {
      throw new CoordinatorError("input_invalid", `Cannot record another call of run "${id}": it has ${callsPerRun}`);
    }
    return callId(run.number, run.nextOrdinal++);
  }

  #writeWaitingAnd(work: () => void, how?: { readonly isDurable: boolean }): void {
    this.#database.transaction(() => {
      for (const { intent, outcome } of this.#intents.values()) insertCall(this.#database, intent, outcome);
      for (const outcome of this.#outcomes) updateCall(this.#database, outcome);
      work();
    }, how);
    this.#intents.clear();
    this.#waitingText = 0;
    this.#outcomes = [];
    this.#log.clear();
  }

  #grow(bytes: number): void {
    this.#written += bytes;
    if (this.#written < this.#growth.growthBytes) return;
    this.#written = 0;
    this.#growth.onGrown();
  }

  #writeSoon(): void {
    const isMuch = this.#intents.size >= mostWaiting || this.#waitingText >= mostWaitingText;
    if (isMuch) this.#flushInBackground();
    else this.#timer ??= setTimeout(() => this.#flushInBackground(), patience).unref();
  }

  #flushInBackground(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      this.flush();
    } catch {
      // There is nobody to tell. What waits stays for the next write, which tells its caller, and in the log.
    }
  }
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`;
}

/** Brings what a process left in its log to the database; what that has already stays as it is. */
export function insertLogged(database: Database, entries: readonly CallLogEntry[]): void {
  database.transaction(() => {
    for (const entry of entries) {
      if ("intent" in entry) insertCall(database, entry.intent, undefined);
      else updateCall(database, entry.outcome);
    }
  });
}

function insertCall(database: Database, intent: LoggedIntent, settled: LoggedOutcome | undefined): void {
  const [id, server, tool, startedAt, args, hash = null, said] = intent;
  const outcome = settled ? outcomeValues(settled) : [null, null, null, null];
  const isApart = hash !== null && args.length > longestInRow;
  if (isApart) database.run(insertBlob, [hash, runNumberOf(id), toStored(args)]);
  const own = isApart ? "" : toStored(args);
  const row = [id, toStored(server), toStored(tool), startedAt, own, hash];
  database.run(insertCallRow, [...row, ...saidValues(said), ...outcome]);
}

function saidValues({ kind, decided }: SaidOfCall = {}): Value[] {
  const { decision, rule, policy, shadow } = decided ?? {};
  return [kind, decision, rule, policy, shadow && JSON.stringify(shadow)].map(toStoredOrNull);
}

function updateCall(database: Database, settled: LoggedOutcome): void {
  database.run(updateOutcome, [...outcomeValues(settled), settled[0]]);
}

function outcomeValues([, outcome, milliseconds, resultBytes, error]: LoggedOutcome): Value[] {
  return [outcome, milliseconds, resultBytes, toStoredOrNull(error ?? undefined)];
}

function toStoredOrNull(text: string | undefined): Value {
  return text === undefined ? null : toStored(text);
}

const insertRun = `
  INSERT INTO runs (principal, id, language, engine, client, via, node, epoch, started_at, code)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const updateRun = `
  UPDATE runs SET finished_at = ?, status = ?, calls = ?, result_bytes = ?, stdout_bytes = ?, error = ?,
    answer = ?
  WHERE number = ?`;

const insertCallRow = `
  INSERT INTO calls (id, server, tool, started_at, args, args_hash, kind, decision, rule, policy, shadow,
    outcome, milliseconds, result_bytes, error)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`;

const insertBlob = `
  INSERT INTO blobs (hash, last_run, content) VALUES (?, ?, ?)
  ON CONFLICT (hash) DO UPDATE SET last_run = max(last_run, excluded.last_run)`;

const updateOutcome = "UPDATE calls SET outcome = ?, milliseconds = ?, result_bytes = ?, error = ? WHERE id = ?";
