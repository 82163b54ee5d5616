/** Does the work, and tells beside its result the longest time for which this thread did nothing else, in milliseconds. */
export async function longestStandstill<Result>(work: () => Promise<Result>): Promise<{
  readonly result: Result;
  readonly longestMs: number;
}> {
  let last = performance.now();
  let longestMs = 0;
  const look = () => {
    longestMs = Math.max(longestMs, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(look, 10);
  try {
    const result = await work();
    look();
    return { result, longestMs };
  } finally {
    clearInterval(timer);
  }
}
