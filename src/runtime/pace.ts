/** After a piece of work, so many times as long as it took passes before the next. */
const restFactor = 20;
const leastRestMs = 250;
const longestRestMs = 5 * 60_000;

interface Place {
  isAskedAgain: boolean;
}

/**
 * Does work for a key whenever it is asked for, and what is asked for meanwhile once more afterwards, with a rest in between:
 * one that asks without end gets a small share of the time. Keeps nothing alive.
 */
export function createPace(work: (key: string) => Promise<unknown>): (key: string) => void {
  const busy = new Map<string, Place>();
  const begin = async (key: string): Promise<void> => {
    const place: Place = { isAskedAgain: false };
    busy.set(key, place);
    const started = performance.now();
    try {
      await work(key);
    } catch {
      // Whoever does it has kept why.
    }
    const restMs = Math.min(Math.max((performance.now() - started) * restFactor, leastRestMs), longestRestMs);
    const rested = (): void => {
      busy.delete(key);
      if (place.isAskedAgain) void begin(key);
    };
    setTimeout(rested, restMs).unref();
  };
  return (key) => {
    const place = busy.get(key);
    if (place) place.isAskedAgain = true;
    else void begin(key);
  };
}
