import type { Decided } from "../../door/gate.ts";
import { isReadable, type RunDetail, type RunSummary } from "../../door/journal.ts";
import type { ActOutcome } from "../../door/recorder.ts";
import { withoutEnd } from "../../door/run-log.ts";
import { thisProcess } from "../../system/owner.ts";
import { callIdsOf, runNumberOf } from "./call-id.ts";
import { damagedRow } from "./damaged-row.ts";
import type { Database } from "./database.ts";
import { fromStored, toStored } from "./exact-text.ts";
import type { Nodes } from "./nodes.ts";

/** What is recorded for one owner, and who of those who record lives. */
export interface History {
  readonly database: Database;
  readonly principal: string;
  readonly nodes: Nodes;
}

export function findRuns(
  history: History,
  { limit, before }: { readonly limit: number; readonly before?: string | undefined },
): RunSummary[] {
  const { database, principal } = history;
  const rows =
    before === undefined
      ? database.all<RunRow>(`SELECT ${summaryColumns} FROM runs WHERE principal = ? ORDER BY id DESC LIMIT ?`, [
          principal,
          limit,
        ])
      : database.all<RunRow>(
          `SELECT ${summaryColumns} FROM runs WHERE principal = ? AND id < ? ORDER BY id DESC LIMIT ?`,
          [principal, toStored(before), limit],
        );
  return rows.map((row) => summaryOf(history, row));
}

export function findRun(history: History, id: string): RunDetail | undefined {
  const { database, principal } = history;
  const row = database.get<RunRow & { code: StoredText }>(selectRun, [principal, toStored(id)]);
  if (row === undefined) return undefined;
  const summary = summaryOf(history, row);
  if (!isReadable(summary)) {
    throw damagedRow(`the run "${id}"`, "its times are not valid", "Look at other runs; they are as they were.");
  }
  const outcomeMissing = isUnderWay(history, id) ? "running" : "unknown";
  return {
    ...summary,
    code: fromStored(row.code),
    toolCalls: database.all<CallRow>(selectCalls, [longestShown, ...callIdsOf(row.number)]).map((call) => ({
      id: call.id,
      server: fromStored(call.server),
      tool: fromStored(call.tool),
      args: fromStored(call.args),
      ...(call.args_hash !== null && { argsHash: call.args_hash }),
      ...(call.kind !== null && { kind: fromStored(call.kind) }),
      ...decidedOf(call),
      startedAt: call.started_at,
      outcome: call.outcome ?? outcomeMissing,
      ...(call.error !== null && { error: fromStored(call.error) }),
      ...(call.result_bytes !== null && { resultBytes: call.result_bytes }),
      ...(call.milliseconds !== null && { milliseconds: call.milliseconds }),
    })),
  };
}

/** Whether it goes on, in whichever process. */
export function isUnderWay({ database, nodes }: History, id: string): boolean {
  const row = database.get<RunRow>(`SELECT ${summaryColumns} FROM runs WHERE id = ?`, [toStored(id)]);
  return row !== undefined && row.status === null && nodes.isAlive(ownerOf(row));
}

/** What came of it, where that was kept. */
export function findAnswer({ database, principal }: History, id: string): string | undefined {
  const row = database.get<{ answer: StoredText | null }>(selectAnswer, [principal, toStored(id)]);
  return row?.answer ? fromStored(row.answer) : undefined;
}

const selectAnswer = "SELECT answer FROM runs WHERE principal = ? AND id = ?";

type StoredText = string | Uint8Array;

interface RunRow {
  number: number;
  id: StoredText;
  language: StoredText;
  engine: StoredText;
  client: StoredText | null;
  via: StoredText | null;
  /** Empty where an older program has written it. */
  node: string;
  epoch: string;
  started_at: number;
  finished_at: number | null;
  status: StoredText | null;
  calls: number | null;
  result_bytes: number | null;
  stdout_bytes: number | null;
  error: StoredText | null;
}

const summaryColumns =
  "number, id, language, engine, client, via, node, epoch, started_at, finished_at, status, calls, result_bytes, stdout_bytes, error";

const selectRun = `SELECT ${summaryColumns}, code FROM runs WHERE principal = ? AND id = ?`;

interface CallRow {
  id: number;
  server: StoredText;
  tool: StoredText;
  started_at: number;
  outcome: ActOutcome | null;
  milliseconds: number | null;
  result_bytes: number | null;
  error: StoredText | null;
  args_hash: string | null;
  kind: StoredText | null;
  decision: "allow" | "ask" | "deny" | null;
  rule: StoredText | null;
  policy: string | null;
  shadow: string | null;
  args: StoredText;
}

function decidedOf({ decision, rule, policy, shadow }: CallRow): { decided?: Decided } {
  if (decision === null) return {};
  return {
    decided: {
      decision,
      rule: rule === null ? "" : fromStored(rule),
      ...(policy !== null && { policy }),
      ...(shadow !== null && { shadow: JSON.parse(shadow) }),
    },
  };
}

/** Of a call's arguments, in a list of calls. */
const longestShown = 10_000;
const selectCalls = `
  SELECT calls.id, server, tool, started_at, outcome, milliseconds, result_bytes, error, args_hash,
    kind, decision, rule, policy, shadow, substr(coalesce(blobs.content, args), 1, ?) AS args
  FROM calls LEFT JOIN blobs ON blobs.hash = calls.args_hash
  WHERE calls.id >= ? AND calls.id < ? ORDER BY calls.id`;

/** A call's arguments whole; undefined when the owner has no such call. */
export function findCallArgs({ database, principal }: History, call: number): string | undefined {
  const row = database.get<{ args: StoredText }>(selectArgs, [call, runNumberOf(call), principal]);
  return row && fromStored(row.args);
}

const selectArgs = `
  SELECT coalesce(blobs.content, args) AS args FROM calls LEFT JOIN blobs ON blobs.hash = calls.args_hash
  WHERE calls.id = ? AND EXISTS (SELECT 1 FROM runs WHERE number = ? AND principal = ?)`;

function summaryOf(history: History, row: RunRow): RunSummary {
  const { database } = history;
  return {
    id: fromStored(row.id),
    language: fromStored(row.language),
    engine: fromStored(row.engine),
    ...(row.client !== null && { client: fromStored(row.client) }),
    ...(row.via !== null && { via: fromStored(row.via) }),
    status: statusOf(history, row),
    ...(row.error !== null && { error: fromStored(row.error) }),
    startedAt: row.started_at,
    ...(row.finished_at !== null && { finishedAt: row.finished_at }),
    calls: row.calls ?? countCalls(database, row.number),
    ...(row.result_bytes !== null && { resultBytes: row.result_bytes }),
    ...(row.stdout_bytes !== null && { stdoutBytes: row.stdout_bytes }),
  };
}

function statusOf({ database, principal, nodes }: History, row: RunRow): string {
  if (row.status !== null) return fromStored(row.status);
  const [running, lost, waiting] = withoutEnd;
  const isAlive = nodes.isAlive(ownerOf(row));
  // One whose process is gone waits for what was decided, too: nobody is there to do it.
  const open = isAlive ? "state = 'pending'" : "state IN ('pending', 'approved')";
  const isOpen = database.get(`SELECT 1 FROM approvals WHERE principal = ? AND run = ? AND ${open} LIMIT 1`, [
    principal,
    row.id,
  ]);
  if (isOpen) return waiting;
  return isAlive ? running : lost;
}

function ownerOf({ node, epoch }: RunRow) {
  return { node: node || thisProcess().node, epoch };
}

function countCalls(database: Database, runNumber: number): number {
  const count = "SELECT count(*) AS calls FROM calls WHERE id >= ? AND id < ?";
  return database.get<{ calls: number }>(count, callIdsOf(runNumber))?.calls ?? 0;
}
