/** At most so much at a time; the rest waits in order. */
export interface Slots {
  /** Does the work when its turn has come; rejects when the signal aborts before that. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export function createSlots(count: number): Slots {
  const waiting = new Set<() => void>();
  let free = count;
  const enter = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(start);
        signal.removeEventListener("abort", giveUp);
      };
      const start = (): void => {
        leave();
        free--;
        resolve();
      };
      const giveUp = (): void => {
        leave();
        reject(signal.reason);
      };
      if (signal.aborted) return giveUp();
      if (free > 0) return start();
      waiting.add(start);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  return {
    async run(work, signal) {
      await enter(signal);
      try {
        return await work();
      } finally {
        free++;
        const [next] = waiting;
        next?.();
      }
    },
  };
}
