import { createPausableTimers, type PausableTimers } from "../system/pausable-timers.ts";
import type { OpenCall } from "./questions.ts";
import { type RequestOptions, timeLeft, whatOf } from "./request-options.ts";

/** Why a call's signal is aborted when it has ended; one for all, since to make one takes a stack. */
export const over = new Error("the call has ended");

interface Ends {
  resolve(result: unknown): void;
  reject(failure: unknown): void;
}

/**
 * A call on its way over a pipe. What most calls do not need (a signal, a timer that can stand still, words for a failure) is
 * made when somebody asks for it: to make it takes longer than to send the call.
 */
export class PendingCall implements OpenCall {
  readonly options: RequestOptions;
  /** Its parameters as JSON, without the last brace, and what the last round has added. */
  readonly params: string;
  more = "";
  /** The id that it was sent with the last time, and how often it was sent. */
  id = 0;
  round = 0;
  /** Whether an answer has come that is not the end of it: the server asks something first. */
  isAnswered = false;
  isOver = false;
  asked = 0;
  readonly refusals: string[] = [];
  /** When its time is up, by `performance.now()`; never while a timer of its own runs. */
  deadline: number;
  readonly #onTimeout: (call: PendingCall) => void;
  readonly #ends: Ends;
  #controller: AbortController | undefined;
  #timers: PausableTimers | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(options: RequestOptions, params: string, onTimeout: (call: PendingCall) => void, ends: Ends) {
    this.options = options;
    this.params = params;
    this.#onTimeout = onTimeout;
    this.#ends = ends;
    this.deadline = performance.now() + timeLeft(options);
  }

  get caller(): OpenCall["caller"] {
    return this.options.caller;
  }

  get what(): string {
    return whatOf(this.options);
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isOver) this.#controller.abort(over);
    return this.#controller.signal;
  }

  get timers(): PausableTimers {
    if (this.#timers !== undefined) return this.#timers;
    this.#timers = createPausableTimers();
    const left = Math.max(1, this.deadline - performance.now());
    this.deadline = Number.POSITIVE_INFINITY;
    this.#stopTimer = this.#timers.start(left, () => this.#onTimeout(this));
    return this.#timers;
  }

  resolve(result: unknown): void {
    this.#end();
    this.#ends.resolve(result);
  }

  reject(failure: unknown): void {
    this.#end();
    this.#ends.reject(failure);
  }

  #end(): void {
    this.isOver = true;
    this.#stopTimer?.();
    this.#controller?.abort(over);
  }
}
