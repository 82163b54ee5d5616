/** Time limits that stand still while somebody is being asked. */
export interface PausableTimers {
  /** Time does not count until the work is done. */
  pauseDuring<T>(work: Promise<T>): Promise<T>;
  /** Calls back once, when so much counted time has gone by. What it answers with ends it. */
  start(milliseconds: number, onEnd: () => void): () => void;
}

interface Timer {
  leftMs: number;
  startedAt: number;
  handle: NodeJS.Timeout | undefined;
  readonly onEnd: () => void;
}

/** However many questions there are, time goes on after `mostMs` of standing still. */
export function createPausableTimers(mostMs = 30 * 60_000): PausableTimers {
  const timers = new Set<Timer>();
  let open = 0;
  let pausedMs = 0;
  let pausedAt = 0;
  let longest: NodeJS.Timeout | undefined;

  const startTimer = (timer: Timer): void => {
    timer.startedAt = performance.now();
    timer.handle = setTimeout(() => {
      timers.delete(timer);
      timer.onEnd();
    }, timer.leftMs);
  };
  const isPaused = (): boolean => longest !== undefined;
  const resume = (): void => {
    if (!isPaused()) return;
    clearTimeout(longest);
    longest = undefined;
    pausedMs += performance.now() - pausedAt;
    for (const timer of timers) startTimer(timer);
  };
  const pause = (): void => {
    if (pausedMs >= mostMs) return;
    pausedAt = performance.now();
    longest = setTimeout(resume, mostMs - pausedMs).unref();
    for (const timer of timers) {
      clearTimeout(timer.handle);
      timer.leftMs = Math.max(0, timer.leftMs - (pausedAt - timer.startedAt));
    }
  };

  return {
    async pauseDuring(work) {
      if (open++ === 0) pause();
      try {
        return await work;
      } finally {
        if (--open === 0) resume();
      }
    },
    start(milliseconds, onEnd) {
      const timer: Timer = { leftMs: milliseconds, startedAt: 0, handle: undefined, onEnd };
      timers.add(timer);
      if (!isPaused()) startTimer(timer);
      return () => {
        timers.delete(timer);
        clearTimeout(timer.handle);
      };
    },
  };
}
