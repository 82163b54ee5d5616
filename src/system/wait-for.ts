/** What the promise brings, or which of the two came first: the time is up, or the caller gave up. */
export async function waitFor<T>(
  promise: Promise<T>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<{ readonly value: T } | "late" | "cancelled"> {
  let stop: (() => void) | undefined;
  const interruption = new Promise<"late" | "cancelled">((resolve) => {
    const timer = setTimeout(resolve, timeoutMs, "late");
    const cancel = () => resolve("cancelled");
    if (signal?.aborted) cancel();
    signal?.addEventListener("abort", cancel);
    stop = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    };
  });
  try {
    return await Promise.race([promise.then((value) => ({ value })), interruption]);
  } finally {
    stop?.();
  }
}
