import { hash } from "node:crypto";
import type { Approval, ApprovalState, Channel, Scope } from "../../approvals/approval.ts";
import { mostOfRun } from "../../approvals/approval.ts";
import type { ApprovalStore } from "../../approvals/approval-store.ts";
import type { ActKind } from "../../door/act.ts";
import { CoordinatorError } from "../../errors.ts";
import { createApprovalChanges } from "./approval-changes.ts";
import type { Database, Value } from "./database.ts";
import { fromStored, toStored } from "./exact-text.ts";

/** Decisions of people outlive a power cut: they are written as durably as SQLite can. */
const durable = { isDurable: true };
const usualLimit = 1000;

export function createApprovals(database: Database, principal: string): ApprovalStore {
  const find = (id: string): Approval | undefined => {
    const row = database.get<Row>(`SELECT * FROM approvals WHERE principal = ? AND id = ?`, [principal, toStored(id)]);
    return row && approvalOf(row);
  };
  const changes = createApprovalChanges(database);
  const told = (ids: readonly string[]) => {
    if (ids.length > 0) changes.tell();
    return ids;
  };
  return {
    async ask(asked) {
      database.transaction(() => {
        for (const one of asked) {
          const texts = [one.id, one.run, one.kind, one.server, one.tool, one.identity, one.definition, one.argsHash];
          database.run(insert, [
            principal,
            ...texts.map(toStored),
            ...[one.via, one.rule, one.policy, one.reason, one.approver].map(orNull),
            one.askedAt,
            one.expiresAt,
            toStored(one.args),
          ]);
        }
      }, durable);
    },
    get: async (id) => find(id),
    async list({ states, run, prefix, limit = usualLimit }) {
      const wanted = [
        ...(states ? [`state IN (${states.map(() => "?").join(", ")})`] : []),
        ...(run === undefined ? [] : ["run = ?"]),
        ...(prefix === undefined ? [] : ["substr(id, 1, ?) = ?"]),
      ];
      const where = ["principal = ?", ...wanted].join(" AND ");
      const values = [
        ...[principal, ...(states ?? [])],
        ...(run === undefined ? [] : [toStored(run)]),
        ...(prefix === undefined ? [] : [prefix.length, toStored(prefix)]),
        limit,
      ];
      const sql = `SELECT * FROM approvals WHERE ${where} ORDER BY asked_at, number LIMIT ?`;
      return database.all<Row>(sql, values).map(approvalOf);
    },
    async decide(id, decision) {
      const { state, by, channel } = decision;
      const scope = state === "approved" ? decision.scope : null;
      const now = Date.now();
      const values = [state, scope, scope === "run" ? mostOfRun : 1, now, toStored(by), channel];
      const isFirst = database.transaction(
        () => database.run(decidePending, [...values, principal, toStored(id), now]).changes === 1,
        durable,
      );
      if (isFirst) changes.tell();
      const approval = find(id);
      return approval && { approval, isFirst };
    },
    async void(ids, note) {
      return told(
        database.transaction(
          () => ids.filter((id) => database.run(makeVoid, [toStored(note), principal, toStored(id)]).changes === 1),
          durable,
        ),
      );
    },
    ...questionsOf(database, principal),
    async expire(now) {
      database.run("DELETE FROM questions WHERE principal = ? AND expires_at <= ?", [principal, now]);
      const ended = database.all<{ id: string | Uint8Array }>(expirePending, [principal, now]);
      return told(ended.map(({ id }) => fromStored(id)));
    },
    watch: changes.watch,
  };
}

function questionsOf(database: Database, principal: string): Pick<ApprovalStore, "keepQuestion" | "takeQuestion"> {
  return {
    async keepQuestion(state, { fingerprint, run, approvals, expiresAt }) {
      const values = [hashOf(state), principal, fingerprint, toStored(run), JSON.stringify(approvals), expiresAt];
      database.run(insertQuestion, values);
    },
    async takeQuestion(state, fingerprint) {
      const values = [hashOf(state), principal, fingerprint, Date.now()];
      const [row] = database.all<QuestionRow>(takeQuestion, values);
      if (!row) return undefined;
      const { run, approvals, expires_at: expiresAt } = row;
      return { fingerprint, run: fromStored(run), approvals: JSON.parse(approvals), expiresAt };
    },
  };
}

/** Uses an approval up, in the transaction that writes the intent of its act. Throws when it is not there to be used. */
export function useApproval(database: Database, principal: string, id: string, call: number): void {
  if (database.run(useOne, [call, principal, toStored(id), Date.now()]).changes === 1) return;
  throw new CoordinatorError(
    "approval_expired",
    `The approval ${id} is not there to be used any more; nothing was sent`,
  );
}

interface Row {
  readonly [column: string]: Value;
}

function approvalOf(row: Row): Approval {
  const text = (column: string): string => fromStored(row[column] as string | Uint8Array);
  const textIfAny = (column: string): string | undefined => (row[column] === null ? undefined : text(column));
  const number = (column: string): number => Number(row[column]);
  return {
    id: text("id"),
    run: text("run"),
    kind: text("kind") as ActKind,
    server: text("server"),
    tool: text("tool"),
    identity: text("identity"),
    definition: text("definition"),
    argsHash: text("args_hash"),
    args: text("args"),
    via: textIfAny("via") ?? "",
    rule: textIfAny("rule"),
    policy: textIfAny("policy"),
    reason: textIfAny("reason") ?? "",
    approver: textIfAny("approver") as Channel | undefined,
    state: text("state") as ApprovalState,
    scope: textIfAny("scope") as Scope | undefined,
    uses: number("uses"),
    most: number("most"),
    askedAt: number("asked_at"),
    expiresAt: number("expires_at"),
    decidedAt: row["decided_at"] === null ? undefined : number("decided_at"),
    decidedBy: textIfAny("decided_by"),
    channel: textIfAny("channel") as Channel | undefined,
    note: textIfAny("note"),
  };
}

function orNull(text: string | undefined): Value {
  return text === undefined ? null : toStored(text);
}

/** Who reads the database cannot answer in the client's place. */
function hashOf(state: string): string {
  return hash("sha256", state);
}

interface QuestionRow {
  readonly run: string | Uint8Array;
  readonly approvals: string;
  readonly expires_at: number;
}

const insertQuestion = `
  INSERT INTO questions (state, principal, fingerprint, run, approvals, expires_at) VALUES (?, ?, ?, ?, ?, ?)`;

const takeQuestion = `
  DELETE FROM questions WHERE state = ? AND principal = ? AND fingerprint = ? AND expires_at > ?
  RETURNING run, approvals, expires_at`;

const insert = `
  INSERT INTO approvals (principal, id, run, kind, server, tool, identity, definition, args_hash,
    via, rule, policy, reason, approver, asked_at, expires_at, state, args)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?)`;

// What is past its time is over, also before somebody has noticed.
const decidePending = `
  UPDATE approvals SET state = ?, scope = ?, most = ?, decided_at = ?, decided_by = ?, channel = ?
  WHERE principal = ? AND id = ? AND state = 'pending' AND expires_at > ?`;

const makeVoid = `
  UPDATE approvals SET state = 'void', note = ? WHERE principal = ? AND id = ? AND state IN ('pending', 'approved')`;

const useOne = `
  UPDATE approvals SET uses = uses + 1, call = ?, state = CASE WHEN uses + 1 >= most THEN 'consumed' ELSE state END
  WHERE principal = ? AND id = ? AND state = 'approved' AND uses < most AND expires_at > ?`;

const expirePending = `
  UPDATE approvals SET state = 'expired' WHERE principal = ? AND state IN ('pending', 'approved') AND expires_at <= ?
  RETURNING id`;
