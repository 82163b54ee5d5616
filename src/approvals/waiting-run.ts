import { hash } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Caller, Run } from "../actor.ts";
import type { Asking } from "../door/gate.ts";
import type { Hold, JudgedAct } from "../door/judge.ts";
import { CoordinatorError } from "../errors.ts";
import { longestTimerMs } from "../system/longest-timer.ts";
import { type Approval, createApprovalId, type NewApproval } from "./approval.ts";
import { type Answer, type Asker, decisionOf } from "./asker.ts";
import type { DeskOptions } from "./desk-options.ts";
import { endedText, refusalOf, waitingText } from "./needs-approval.ts";

type Next = Awaited<ReturnType<Hold["next"]>>;

export interface WaitingRunOptions extends DeskOptions {
  onWaiting(): void;
  onIdle(): void;
}

/** Asks that come together are one question: no more came for so long, or they have been coming for so long. */
const quietMs = 20;
const longestMs = 250;
/** Acts of one run that wait at once. */
const mostHeld = 100;
/** A person who has said no so often in a run is not asked again in it. */
const mostDenied = 5;

/** One act that waits. */
interface Held {
  readonly approval: NewApproval;
  readonly judged: JudgedAct;
  readonly outcome: Promise<Next>;
  settle(next: Next): void;
  /** Whether its row is there, so that it can be decided. */
  isAsked: boolean;
}

/** Somebody who can be asked now, and how long they wait for an answer. */
interface Leg {
  readonly askers: readonly Asker[];
  readonly over: AbortController;
  /** Whether no request of theirs is kept waiting while they are asked. */
  readonly isAskedAtEnd: boolean;
  /** Questions that they have not answered. */
  open: number;
  leftMs: number;
  readonly offered: Set<string>;
}

/** The acts of one run that a person is to decide, from the question to the answer. */
export class WaitingRun {
  readonly #run: Run;
  readonly #options: WaitingRunOptions;
  readonly #held = new Map<string, Held>();
  readonly #denied = new Set<string>();
  readonly #legs = new Set<Leg>();
  /** Approvals for the whole run, by what they let pass. */
  readonly #grants = new Map<string, { readonly approval: string; left: number }>();
  #denials = 0;
  #gathering: { readonly since: number; timer: NodeJS.Timeout } | undefined;
  #again = signalOnce();
  #idle = signalOnce();
  #patience: { readonly startedAt: number; readonly timer: NodeJS.Timeout } | undefined;
  #parked: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #hasLeft = false;
  #isEnded = false;

  constructor(run: Run, options: WaitingRunOptions) {
    this.#run = run;
    this.#options = options;
  }

  get isWaiting(): boolean {
    return this.#held.size > 0;
  }

  /** Throws when a person is not to be asked about it. */
  hold(asking: Asking, judged: JudgedAct): Hold {
    const approval = this.#approvalOf(asking, judged);
    const granted = this.#useGrant(approval);
    if (granted !== undefined) return { next: async () => ({ approval: granted }), drop: async () => {} };
    if (this.#denied.has(sameAct(approval))) throw refusalOf("denied before", approval);
    if (this.#denials >= mostDenied) throw refusalOf("denied often", approval);
    if (this.#held.size >= mostHeld) throw refusalOf("too many", approval);
    const held = this.#keep(approval, judged);
    return {
      next: () => Promise.race([held.outcome, this.#again.promise.then(() => "judge again" as const)]),
      drop: async (refusal) => this.#withdraw(held, refusal?.message ?? "the rules allow it now"),
    };
  }

  /** Whoever asks for the run again can be asked, as long as they wait. */
  join(caller: Caller | undefined, signal: AbortSignal): void {
    const leg = this.#begin(caller);
    signal.addEventListener("abort", () => this.#end(leg), { once: true });
    this.#offer();
  }

  judgeAgain(): void {
    const again = this.#again;
    this.#again = signalOnce();
    again.resolve();
  }

  /** Somebody may have decided, or a time may be over. */
  readDecisions(): void {
    const asked = [...this.#held.values()].filter(({ isAsked }) => isAsked);
    if (asked.length === 0) return;
    const read = async (): Promise<void> => {
      await this.#options.store.expire(Date.now());
      for (const { approval } of asked) {
        const row = await this.#options.store.get(approval.id);
        const held = this.#held.get(approval.id);
        if (held && row) await this.#settleBy(row, held);
      }
    };
    read().catch((thrown) => this.#fail(thrown));
  }

  close(): void {
    if (this.#held.size > 0) this.#giveUp("this program is ending");
  }

  #approvalOf({ ask, approver, decided }: Asking, { act, actor, run, argsText }: JudgedAct): NewApproval {
    const askedAt = Date.now();
    const { kind, server, name: tool } = act;
    return {
      ...this.#options.subjectOf(act),
      ...{ id: createApprovalId(), run: run.id, kind, server, tool, args: argsText },
      argsHash: hash("sha256", argsText),
      via: actor.via ?? "library",
      rule: decided?.rule,
      policy: decided?.policy,
      reason: ask,
      approver,
      askedAt,
      expiresAt: askedAt + this.#options.settings.expireHours * 3_600_000,
    };
  }

  #useGrant(approval: NewApproval): string | undefined {
    const grant = this.#grants.get(sameKind(approval));
    if (!grant || grant.left === 0) return undefined;
    grant.left--;
    return grant.approval;
  }

  #keep(approval: NewApproval, judged: JudgedAct): Held {
    const { signal } = judged.actor;
    let settle: (next: Next) => void = () => {};
    const outcome = new Promise<Next>((resolve) => {
      settle = resolve;
    });
    const cancel = (): void => {
      if (!this.#isEnded) void this.#withdraw(held, "the run has ended");
    };
    const held: Held = {
      ...{ approval, judged, outcome, isAsked: false },
      settle: (next) => {
        signal?.removeEventListener("abort", cancel);
        settle(next);
        if (!this.#held.delete(approval.id)) return;
        if (this.#held.size === 0) this.#rest();
      },
    };
    if (this.#held.size === 0) this.#wait();
    this.#held.set(approval.id, held);
    if (signal) setMaxListeners(0, signal); // one listener for each act that waits
    signal?.addEventListener("abort", cancel, { once: true });
    this.#gather();
    return held;
  }

  /** The first act waits: from here on the run's time stands still. */
  #wait(): void {
    this.#idle = signalOnce();
    const { patience } = this.#run;
    // At the next turn: what waits is known by then.
    const during = patience?.during(this.#idle.promise) ?? this.#idle.promise;
    during.catch((thrown: Error) => this.#giveUp(thrown.message));
    if (!this.#hasLeft && this.#legs.size === 0) this.#begin(patience?.caller);
    if (this.#hasLeft) this.#park();
    this.#options.onWaiting();
  }

  /** Nothing waits any more. */
  #rest(): void {
    clearTimeout(this.#parked);
    this.#parked = undefined;
    clearTimeout(this.#expiry);
    this.#pausePatience();
    this.#idle.resolve();
    this.#options.onIdle();
  }

  #gather(): void {
    const since = this.#gathering?.since ?? performance.now();
    clearTimeout(this.#gathering?.timer);
    const left = Math.max(0, longestMs - (performance.now() - since));
    const timer = setTimeout(
      () => {
        this.#gathering = undefined;
        this.#ask().catch((thrown) => this.#fail(thrown));
      },
      Math.min(quietMs, left),
    );
    this.#gathering = { since, timer };
  }

  async #ask(): Promise<void> {
    const fresh = [...this.#held.values()].filter(({ isAsked }) => !isAsked);
    if (fresh.length === 0) return;
    await this.#options.store.ask(fresh.map(({ approval }) => approval));
    for (const held of fresh) held.isAsked = true;
    // One that was dropped while it was written down has a row that nobody wants.
    const gone = fresh.filter(({ approval }) => !this.#held.has(approval.id)).map(({ approval }) => approval.id);
    if (gone.length > 0) await this.#options.store.void(gone, "nobody waits for it any more");
    this.#expireInTime();
    this.#offer();
  }

  /** Asks everybody who is there what they have not been asked. */
  #offer(): void {
    for (const leg of this.#legs) {
      for (const asker of leg.askers) this.#offerTo(leg, asker).catch(() => {}); // who cannot be asked has not answered
    }
    this.#startPatience();
  }

  async #offerTo(leg: Leg, asker: Asker): Promise<void> {
    const { channel, who } = asker;
    const isTheirs = ({ approver }: NewApproval) => approver === undefined || approver === channel;
    const asked = [...this.#held.values()]
      .filter(({ isAsked, approval }) => isAsked && isTheirs(approval) && !leg.offered.has(`${channel} ${approval.id}`))
      .map(({ approval }) => approval);
    for (const { id } of asked) leg.offered.add(`${channel} ${id}`);
    if (asked.length === 0 || !asker.canShow(asked)) return;
    const over = new AbortController();
    // A question of which all is decided elsewhere is taken back.
    const open = Promise.all(asked.map(({ id }) => this.#held.get(id)?.outcome)).then(() => over.abort());
    open.catch(() => {});
    leg.open++;
    const said = await asker.ask(asked, AbortSignal.any([leg.over.signal, over.signal])).finally(() => {
      leg.open--;
      this.#startPatience();
    });
    for (const { id } of asked) await this.#take(said.get(id), id, asker, who);
    const isOpen = asked.some(({ id }) => this.#held.has(id));
    if (isOpen && !leg.over.signal.aborted) this.#leave();
  }

  async #take(answer: Answer | undefined, id: string, asker: Asker, who: string): Promise<void> {
    const decision = answer && decisionOf(answer, { by: who, channel: asker.channel });
    if (!decision) return;
    const decided = await this.#options.store.decide(id, decision);
    if (!decided) return;
    const held = this.#held.get(id);
    if (!decided.isFirst) asker.tooLate?.(decided.approval);
    if (held) await this.#settleBy(decided.approval, held);
  }

  async #settleBy(row: Approval, held: Held): Promise<void> {
    if (row.state === "approved") return this.#settleApproved(row, held);
    if (row.state === "rejected") {
      this.#denied.add(sameAct(row));
      this.#denials++;
      held.settle({ refusal: refusalOf("rejected", row) });
    }
    if (row.state === "expired") held.settle({ refusal: refusalOf("expired", row) });
    if (row.state === "void") held.settle({ refusal: refusalOf("void", row) });
  }

  async #settleApproved(row: Approval, held: Held): Promise<void> {
    const { identity, definition } = this.#options.subjectOf(held.judged.act);
    if (identity !== row.identity || definition !== row.definition) {
      await this.#options.store.void([row.id], "what it was about has changed");
      return held.settle({ refusal: refusalOf("changed", row) });
    }
    // This act is the first of them.
    if (row.scope === "run") this.#grants.set(sameKind(row), { approval: row.id, left: row.most - row.uses - 1 });
    held.settle({ approval: row.id });
  }

  async #withdraw(held: Held, note: string): Promise<void> {
    if (!this.#held.has(held.approval.id)) return;
    held.settle({ refusal: refusalOf("withdrawn", held.approval, note) });
    if (held.isAsked) await this.#options.store.void([held.approval.id], note).catch(() => {}); // it ends by its time
  }

  /** What cannot be written down or read cannot be decided. */
  #fail(thrown: unknown): void {
    const why = thrown instanceof CoordinatorError ? thrown : undefined;
    for (const held of [...this.#held.values()])
      held.settle({ refusal: why ?? refusalOf("failed", held.approval, String(thrown)) });
  }

  #begin(caller: Caller | undefined): Leg {
    const { askers, askersOf, settings } = this.#options;
    const ofCaller = caller && settings.channels.includes("client") ? askersOf(caller) : [];
    const leg: Leg = {
      askers: [...ofCaller, ...askers.filter(({ channel }) => settings.channels.includes(channel))],
      over: new AbortController(),
      isAskedAtEnd: caller?.isAskedAtEnd ?? false,
      open: 0,
      leftMs: settings.waitSeconds * 1000,
      offered: new Set(),
    };
    this.#legs.add(leg);
    return leg;
  }

  #end(leg: Leg): void {
    leg.over.abort();
    this.#legs.delete(leg);
    this.#pausePatience();
    if (this.isWaiting) this.#startPatience();
  }

  /** Counts down while something waits: however often a run waits, its request does so no longer in all. */
  #startPatience(): void {
    this.#pausePatience();
    const [leg] = this.#legs;
    if (this.#hasLeft || !leg || this.#held.size === 0) return;
    if (leg.isAskedAtEnd && leg.open > 0) return this.#park();
    const timer = setTimeout(() => this.#leave(), Math.min(leg.leftMs, longestTimerMs));
    this.#patience = { startedAt: performance.now(), timer };
  }

  #pausePatience(): void {
    if (!this.#patience) return;
    clearTimeout(this.#patience.timer);
    const waited = performance.now() - this.#patience.startedAt;
    for (const leg of this.#legs) leg.leftMs = Math.max(0, leg.leftMs - waited);
    this.#patience = undefined;
  }

  /** Whoever asked for the run gets an answer; it goes on waiting by itself. */
  #leave(): void {
    if (this.#hasLeft || this.#held.size === 0) return;
    const { parkMinutes, waitSeconds } = this.#options.settings;
    if (parkMinutes === 0) return this.#giveUp(`nobody decided within ${waitSeconds} seconds`);
    this.#hasLeft = true;
    this.#pausePatience();
    for (const leg of [...this.#legs]) this.#end(leg);
    this.#park();
    const answer = async () => this.#run.patience?.leave(await this.explain());
    void answer().catch((thrown) => this.#fail(thrown));
  }

  /** What it waits for, and where that is decided. */
  async explain(): Promise<CoordinatorError> {
    const { doneIn, settings } = this.#options;
    const pending = [...this.#held.values()].map(({ approval }) => approval);
    return waitingText({ run: this.#run.id, pending, done: await doneIn(this.#run.id), channels: settings.channels });
  }

  #park(): void {
    if (this.#parked) return;
    const { parkMinutes } = this.#options.settings;
    const why = `nobody decided within ${parkMinutes} ${parkMinutes === 1 ? "minute" : "minutes"}`;
    this.#parked = setTimeout(() => this.#giveUp(why), Math.min(parkMinutes * 60_000, longestTimerMs)).unref();
  }

  /** The run ends undecided. What it asked can still be decided; nothing is sent for it. */
  #giveUp(why: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const pending = [...this.#held.values()].map(({ approval }) => approval);
    const error = endedText({ run: this.#run.id, pending, why });
    this.#run.patience?.leave(error);
    this.#run.patience?.end(error);
    for (const held of [...this.#held.values()]) held.settle({ refusal: error });
  }

  #expireInTime(): void {
    const first = Math.min(...[...this.#held.values()].map(({ approval }) => approval.expiresAt));
    clearTimeout(this.#expiry);
    const left = Math.min(Math.max(0, first - Date.now()) + 1, longestTimerMs);
    this.#expiry = setTimeout(() => this.readDecisions(), left).unref();
  }
}

/** The same tool, as it is defined and reached now, asked about by the same rule, for the same reason and of the same person. */
function sameKind({ kind, server, tool, identity, definition, rule, reason, approver }: NewApproval): string {
  return JSON.stringify([kind, server, tool, identity, definition, rule, reason, approver]);
}

function sameAct({ kind, server, tool, argsHash }: NewApproval): string {
  return JSON.stringify([kind, server, tool, argsHash]);
}

function signalOnce(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
