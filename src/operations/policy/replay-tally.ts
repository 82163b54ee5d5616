import type { RecordedCall, RunSummary } from "../../door/journal.ts";
import type { Decision } from "../../policy/policy.ts";
import type { Action } from "../../policy/rule.ts";

interface Said {
  readonly action: Action;
  /** Empty where no rule said anything. */
  readonly rule: string;
}

/** A call about which rules decide otherwise than was decided. */
export interface ChangedCall {
  readonly run: string;
  readonly call: number;
  readonly at: number;
  readonly server: string;
  readonly tool: string;
  readonly from: Said;
  readonly to: Said;
}

/** What came of deciding calls again. */
export interface ReplaySum {
  readonly runs: number;
  readonly calls: number;
  readonly same: number;
  readonly changed: number;
  /** How many changes there are of each sort, such as `allow → ask`. */
  readonly changes: Readonly<Record<string, number>>;
  /** The first of them, as many as were wanted. */
  readonly examples: readonly ChangedCall[];
  /** Their arguments, or the face by which they came, are not there any more. */
  readonly undecided: number;
  /** Stopped before the rules were asked: by lists, or because there is no such tool. */
  readonly stoppedBefore: number;
  /** Runs that the journal cannot read. */
  readonly unreadable: number;
  /** How often each rule would have said something that is only tried out, such as `draft: deny`. */
  readonly shadow: Readonly<Record<string, number>>;
}

export interface ReplayTally {
  onRun(): void;
  onUnreadable(): void;
  onStoppedBefore(): void;
  onUndecided(): void;
  onDecided(run: RunSummary, call: RecordedCall, decision: Decision): void;
  sum(): ReplaySum;
}

/** Counts everything, and keeps so many examples. */
export function createReplayTally(most: number): ReplayTally {
  const counts = { runs: 0, calls: 0, same: 0, changed: 0, undecided: 0, stoppedBefore: 0, unreadable: 0 };
  const changes = new Map<string, number>();
  const shadow = new Map<string, number>();
  const examples: ChangedCall[] = [];
  return {
    onRun: () => void counts.runs++,
    onUnreadable: () => void counts.unreadable++,
    onStoppedBefore() {
      counts.calls++;
      counts.stoppedBefore++;
    },
    onUndecided() {
      counts.calls++;
      counts.undecided++;
    },
    onDecided(run, { id, startedAt, server, tool, decided }, decision) {
      counts.calls++;
      for (const { rule, action } of decision.shadow) count(shadow, `${rule}: ${action}`);
      const from = { action: decided?.decision ?? "allow", rule: decided?.rule ?? "" };
      const to = { action: decision.action, rule: decision.rule ?? "" };
      if (from.action === to.action) return void counts.same++;
      counts.changed++;
      count(changes, `${from.action} → ${to.action}`);
      if (examples.length < most) examples.push({ run: run.id, call: id, at: startedAt, server, tool, from, to });
    },
    sum: () => ({ ...counts, changes: Object.fromEntries(changes), examples, shadow: Object.fromEntries(shadow) }),
  };
}

/** Rules are few, and so are their names. */
function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
