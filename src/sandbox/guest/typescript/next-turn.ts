/** What of Deno's own core the queue of immediates is made of. */
interface Immediates {
  queueImmediate(immediate: object): void;
  immediateRefCount(increase: boolean): void;
  /** The key of an immediate that the event loop waits for. */
  readonly kRefed: symbol;
}

interface Deno {
  readonly version: { readonly deno: string };
  readonly internal: symbol;
  readonly [internals: symbol]: { readonly core: Immediates };
}

/** The version whose core is known here: how it takes immediates is not promised to be the same in the next. */
export const knownVersion = "2.9.6";

/**
 * `setImmediate`, without what Deno does at its first use: it brings up Node's timers, which takes as much time as half
 * of a start. A guest that uses timers brings them up then.
 */
export function createNextTurn(deno: Deno, scope: Record<string, unknown>): (then: () => void) => void {
  if (deno.version.deno !== knownVersion) return scope["setImmediate"] as (then: () => void) => void;
  const { queueImmediate, immediateRefCount, kRefed } = (deno[deno.internal] as { core: Immediates }).core;
  return (then) => {
    immediateRefCount(true);
    queueImmediate({
      _onImmediate: then,
      _argv: undefined,
      _destroyed: false,
      _idleNext: null,
      _idlePrev: null,
      asyncId: 0,
      triggerAsyncId: 0,
      [kRefed]: true,
    });
  };
}
