import { setMaxListeners } from "node:events";
import type { Caller, Run } from "../actor.ts";
import type { Asking } from "../door/gate.ts";
import type { Hold, JudgedAct } from "../door/judge.ts";
import { CoordinatorError } from "../errors.ts";
import { longestTimerMs } from "../system/longest-timer.ts";
import { plural } from "../system/plural.ts";
import { createAnswersSoFar } from "./answers-so-far.ts";
import { type Approval, type NewApproval, sameKind } from "./approval.ts";
import { type Answer, type Asker, decisionOf } from "./asker.ts";
import type { DeskOptions } from "./desk-options.ts";
import { endedText, refusalOf, waitingText } from "./needs-approval.ts";
import { newApproval } from "./new-approval.ts";
import { signalOnce } from "./signal-once.ts";

type Next = Awaited<ReturnType<Hold["next"]>>;

export interface WaitingRunOptions extends DeskOptions {
  onWaiting(): void;
  onIdle(): void;
}

/** Asks that come together are one question: no more came for so long, or they have been coming for so long. */
const quietMs = 20;
const longestMs = 250;
/** Acts of one run that a person is asked about at once; more wait until some of these are decided. */
const mostAsked = 100;

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

/** An answer that has come: by whom, and what was asked with it. */
interface Taking {
  readonly asker: Asker;
  readonly together: ReadonlySet<string>;
}

/** The acts of one run that a person is to decide, from the question to the answer. */
export class WaitingRun {
  readonly #run: Run;
  readonly #options: WaitingRunOptions;
  readonly #held = new Map<string, Held>();
  readonly #legs = new Set<Leg>();
  readonly #answers = createAnswersSoFar();
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

  /** Whether it is an act that no guest makes. */
  get isAlone(): boolean {
    return this.#run.language === "none";
  }

  /** Of the arguments that wait. */
  get characters(): number {
    return [...this.#held.values()].reduce((sum, { approval }) => sum + approval.args.length, 0);
  }

  /** Throws when a person is not to be asked about it. */
  hold(asking: Asking, judged: JudgedAct): Hold {
    const approval = newApproval(asking, judged, this.#options);
    const granted = this.#answers.use(approval);
    if (granted !== undefined) return { next: async () => ({ approval: granted }), drop: async () => {} };
    const refusal = this.#answers.refusal(approval);
    if (refusal) throw refusalOf(refusal, approval);
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
      const rows = await Promise.all(asked.map(({ approval }) => this.#options.store.get(approval.id)));
      for (const row of rows) if (row) await this.#settleBy(row);
    };
    read().catch((thrown) => this.#fail(thrown));
  }

  close(): void {
    if (this.#held.size > 0) this.#giveUp("this program is ending");
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
        else if (this.#unasked().length > 0) this.#gather();
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
    const unasked = this.#unasked().filter((held) => !this.#passes(held));
    const fresh = unasked.slice(0, mostAsked - (this.#held.size - unasked.length));
    if (fresh.length === 0) return;
    await this.#options.store.ask(fresh.map(({ approval }) => approval));
    for (const held of fresh) held.isAsked = true;
    // One that was dropped while it was written down has a row that nobody wants.
    const gone = fresh.filter(({ approval }) => !this.#held.has(approval.id)).map(({ approval }) => approval.id);
    if (gone.length > 0) await this.#options.store.void(gone, "nobody waits for it any more");
    this.#expireInTime();
    this.#offer();
  }

  #unasked(): readonly Held[] {
    return [...this.#held.values()].filter(({ isAsked }) => !isAsked);
  }

  /** A person may have allowed it for the run before it was their turn to be asked about it. */
  #passes(held: Held): boolean {
    const granted = this.#answers.use(held.approval);
    if (granted !== undefined) held.settle({ approval: granted });
    return granted !== undefined;
  }

  /** Asks everybody who is there what they have not been asked. */
  #offer(): void {
    for (const leg of this.#legs) {
      for (const asker of leg.askers) this.#offerTo(leg, asker).catch(() => {}); // who cannot be asked has not answered
    }
    this.#startPatience();
  }

  async #offerTo(leg: Leg, asker: Asker): Promise<void> {
    const { channel } = asker;
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
    const ids = new Set(asked.map(({ id }) => id));
    for (const id of ids) await this.#take(said.get(id), id, { asker, together: ids });
    const isOpen = asked.some(({ id }) => this.#held.has(id));
    if (isOpen && !leg.over.signal.aborted) this.#leave();
  }

  async #take(answer: Answer | undefined, id: string, { asker, together }: Taking): Promise<void> {
    const decision = answer && decisionOf(answer, { by: asker.who, channel: asker.channel });
    if (!decision) return;
    const decided = await this.#options.store.decide(id, decision);
    if (!decided) return;
    if (!decided.isFirst) asker.tooLate?.(decided.approval);
    await this.#settleBy(decided.approval, together);
  }

  /** What was asked `together` is decided one by one: an approval for the run does not speak for it. */
  async #settleBy(row: Approval, together: ReadonlySet<string> = new Set()): Promise<void> {
    const held = this.#held.get(row.id);
    if (!held) return;
    if (row.state === "approved") return this.#settleApproved(row, held, together);
    if (row.state === "rejected") {
      this.#answers.onDenied(row);
      held.settle({ refusal: refusalOf("rejected", row) });
    }
    if (row.state === "expired") held.settle({ refusal: refusalOf("expired", row) });
    if (row.state === "void") held.settle({ refusal: refusalOf("void", row) });
  }

  async #settleApproved(row: Approval, held: Held, together: ReadonlySet<string>): Promise<void> {
    const { identity, definition } = this.#options.subjectOf(held.judged.act);
    if (identity !== row.identity || definition !== row.definition) {
      await this.#options.store.void([row.id], "what it was about has changed");
      return held.settle({ refusal: refusalOf("changed", row) });
    }
    held.settle({ approval: row.id });
    if (row.scope !== "run") return;
    this.#answers.onAllowedInRun(row);
    const alike = [...this.#held.values()].filter(({ isAsked, approval }) => {
      return isAsked && !together.has(approval.id) && sameKind(approval) === sameKind(row);
    });
    for (const { approval } of alike) await this.#allowToo(approval, row);
  }

  /** Waits already, and is allowed by what was said of another; unless somebody has decided it meanwhile. */
  async #allowToo(waiting: NewApproval, { decidedBy = "", channel = "cli" }: Approval): Promise<void> {
    const row = await this.#options.store.get(waiting.id);
    if (row?.state !== "pending") return row && this.#settleBy(row);
    if (this.#answers.use(waiting) === undefined) return;
    const decision = { state: "approved", scope: "once", by: decidedBy, channel } as const;
    const decided = await this.#options.store.decide(waiting.id, decision);
    if (decided) await this.#settleBy(decided.approval);
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
    this.#startPatience();
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
    const why = `nobody decided within ${plural(parkMinutes, "minute")}`;
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
