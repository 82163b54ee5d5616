import { backoff } from "./backoff.ts";
import type { UpstreamError } from "./upstream-error.ts";

/** So many calls in a row may bring nothing before the server is left alone. */
const patience = 5;
/** What a caller is told to wait while another call finds out whether the server is well again. */
const probeMs = 1000;

/** `ill`: the server was lost or silent. `well`: it answered, if only with an error. Neither: nothing was learned. */
export type CallHealth = "well" | "ill" | "neither";

/**
 * Decides whether a server is tried at all. Starts that fail, and calls that bring nothing, make it rest for longer and
 * longer; after such calls a single one is let through to find out. Its clock never steps.
 */
export class Breaker {
  #failedStarts = 0;
  #lostCalls = 0;
  #restsUntil = 0;
  #lastLoss = 0;
  #isProbed = false;

  get failures(): number {
    return Math.max(this.#failedStarts, this.#lostCalls);
  }

  /** Milliseconds until it may be tried; 0 when it may be now. */
  get restMs(): number {
    return this.#restsUntil === 0 ? 0 : Math.max(0, this.#restsUntil - performance.now());
  }

  get isOpen(): boolean {
    return this.#lostCalls >= patience;
  }

  /** For how long a call is refused now; 0 when it is not. */
  get refusedMs(): number {
    return this.#isProbed ? probeMs : this.restMs;
  }

  startFailed(): void {
    this.#failedStarts++;
    this.rest(backoff(this.#failedStarts));
  }

  /** It was of use before it ended. */
  startWorked(): void {
    this.#failedStarts = 0;
  }

  rest(ms: number): void {
    this.#restsUntil = performance.now() + ms;
  }

  /** A call begins; to be told how it went. */
  begin(): (health: CallHealth) => void {
    const began = performance.now();
    const isProbe = this.isOpen;
    if (isProbe) this.#isProbed = true;
    return (health) => {
      if (isProbe) this.#isProbed = false;
      if (health === "well") this.#recover();
      // One crash takes all calls in flight with it, and is one failure.
      if (health === "ill" && began >= this.#lastLoss) this.#lose();
    };
  }

  #recover(): void {
    this.#failedStarts = 0;
    this.#lostCalls = 0;
    this.#restsUntil = 0;
  }

  #lose(): void {
    this.#lastLoss = performance.now();
    this.#lostCalls++;
    if (this.isOpen) this.rest(backoff(this.#lostCalls));
  }
}

/** What a request that failed says of the server's health. */
export function healthOf({ code, delivery }: UpstreamError): CallHealth {
  if (delivery === "failed") return "well";
  return code === "call_cancelled" ? "neither" : "ill";
}
