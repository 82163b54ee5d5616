import { constants } from "node:os";
import { endProcess } from "./end-process.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** How long an orderly end may take. */
export const endMs = 5000;

/** Calls back at the first signal; a second one, or an end that takes longer than `mostMs`, exits at once. */
export function onInterruption(callback: () => void, mostMs = endMs): void {
  let isFirst = true;
  for (const signal of signals) {
    process.on(signal, () => {
      const code = 128 + constants.signals[signal];
      if (!isFirst) return endProcess(code);
      isFirst = false;
      setTimeout(() => endProcess(code), mostMs).unref();
      callback();
    });
  }
}

/** Aborted by the first signal. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  onInterruption(() => controller.abort());
  return controller.signal;
}
