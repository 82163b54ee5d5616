interface Waiting {
  readonly signal: AbortSignal;
  start(): void;
  giveUp(reason: unknown): void;
}

/** By run; whichever has had a turn is last. */
const waiting = new Map<string, Waiting[]>();
let isDue = false;

/**
 * Resolves when a run may begin one of our operations: one in each turn of the event loop, over all runs. Most never wait for
 * anything, so that a hundred that began together would be done in one go, and pings, timers and signals come after them.
 * Rejects when the run has ended before that.
 */
export function operationTurn(run: string, signal: AbortSignal): Promise<void> {
  return new Promise((start, giveUp) => {
    const turn = { signal, start, giveUp };
    const before = waiting.get(run);
    if (before) before.push(turn);
    else waiting.set(run, [turn]);
    if (isDue) return;
    isDue = true;
    setImmediate(startNext);
  });
}

function startNext(): void {
  let turn = takeNext();
  for (; turn?.signal.aborted; turn = takeNext()) turn.giveUp(turn.signal.reason);
  isDue = waiting.size > 0;
  // Before it begins: should it be ended in the middle, those behind it have their turn all the same.
  if (isDue) setImmediate(startNext);
  turn?.start();
}

function takeNext(): Waiting | undefined {
  for (const [run, turns] of waiting) {
    const turn = turns.shift();
    waiting.delete(run);
    if (turns.length > 0) waiting.set(run, turns);
    return turn;
  }
  return undefined;
}
