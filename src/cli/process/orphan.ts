/**
 * Calls back when the process that started us has ended, and nothing has come by the input for a while since: something else
 * keeps it open. On Windows a parent's end cannot be seen, and nothing happens.
 */
export function onOrphaned(
  input: { readonly bytesRead: number },
  callback: () => void,
  { checkMs = 10_000, silentMs = 60_000 } = {},
): void {
  const parent = process.ppid;
  let bytes = -1;
  let since = 0;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    if (input.bytesRead !== bytes) {
      bytes = input.bytesRead;
      since = performance.now();
    } else if (performance.now() - since >= silentMs) {
      clearInterval(timer);
      callback();
    }
  }, checkMs).unref();
}
