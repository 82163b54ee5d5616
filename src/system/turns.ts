/** A place at the server, from the first wait to the end of the call. */
export interface PlaceInLine {
  /** Resolves when it is this call's turn; undefined when it is so at once. */
  readonly turn: Promise<void> | undefined;
  /** Ends the call, or the wait. More than once does nothing. */
  leave(): void;
}

export interface TurnsOptions {
  /** The most calls in flight. */
  readonly most: number;
  /** The most that wait: of one caller, and of all together. */
  readonly mostOfOne?: number;
  readonly mostWaiting?: number;
}

/** Whose turn it is at one server. Past the most calls in flight the rest wait, and callers take turns. */
export class Turns {
  readonly #most: number;
  readonly #mostOfOne: number;
  readonly #mostWaiting: number;
  /** By caller, in the order in which they get their next turn. */
  readonly #queues = new Map<string, Set<() => void>>();
  readonly #inFlight = new Map<string, number>();
  #flying = 0;
  #waiting = 0;
  #isExclusive = false;

  constructor({ most, mostOfOne = 256, mostWaiting = 1024 }: TurnsOptions) {
    this.#most = most;
    this.#mostOfOne = mostOfOne;
    this.#mostWaiting = mostWaiting;
  }

  /** One caller at a time: what the server asks meanwhile can only be about a call of that one. */
  get isExclusive(): boolean {
    return this.#isExclusive;
  }

  set isExclusive(wanted: boolean) {
    this.#isExclusive = wanted;
    this.#next();
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Undefined when too many wait already. */
  enter(caller: string): PlaceInLine | undefined {
    const waiting = this.#queues.get(caller)?.size ?? 0;
    const isFull = waiting >= this.#mostOfOne || this.#waiting >= this.#mostWaiting;
    return isFull && !this.#isFree(caller) ? undefined : this.enterAgain(caller);
  }

  /** For one that had a place and has left it for a while: it waits with the others, however many they are. */
  enterAgain(caller: string): PlaceInLine {
    if (this.#isFree(caller)) {
      this.#start(caller);
      return { turn: undefined, leave: once(() => this.#end(caller)) };
    }
    const queue = this.#queues.get(caller) ?? new Set();
    this.#queues.set(caller, queue);
    this.#waiting++;
    let call = (): void => {};
    const turn = new Promise<void>((resolve) => {
      call = resolve;
    });
    queue.add(call);
    return { turn, leave: once(() => (queue.has(call) ? this.#giveUp(caller, queue, call) : this.#end(caller))) };
  }

  #isFree(caller: string): boolean {
    return this.#waiting === 0 && this.#mayStart(caller);
  }

  #mayStart(caller: string): boolean {
    const isAlone = this.#inFlight.size === 0 || (this.#inFlight.size === 1 && this.#inFlight.has(caller));
    return this.#flying < this.#most && (isAlone || !this.#isExclusive);
  }

  #start(caller: string): void {
    this.#flying++;
    this.#inFlight.set(caller, (this.#inFlight.get(caller) ?? 0) + 1);
  }

  #end(caller: string): void {
    this.#flying--;
    const left = (this.#inFlight.get(caller) ?? 1) - 1;
    if (left > 0) this.#inFlight.set(caller, left);
    else this.#inFlight.delete(caller);
    this.#next();
  }

  #giveUp(caller: string, queue: Set<() => void>, call: () => void): void {
    queue.delete(call);
    this.#waiting--;
    if (queue.size === 0) this.#queues.delete(caller);
    this.#next();
  }

  /** Only ever the first in line: to let others pass it would make it wait for as long as they keep coming. */
  #next(): void {
    for (const [caller, queue] of this.#queues) {
      if (!this.#mayStart(caller)) return;
      const [call] = queue;
      if (call === undefined) return;
      queue.delete(call);
      this.#waiting--;
      this.#queues.delete(caller);
      if (queue.size > 0) this.#queues.set(caller, queue);
      this.#start(caller);
      call();
    }
  }
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    action();
  };
}
