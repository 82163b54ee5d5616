import { url as debuggerUrl } from "node:inspector";
import { Worker } from "node:worker_threads";
import { packageFile } from "../../system/package-file.ts";
import { beats, beWatched, pulse, tellEnded } from "../../system/watched-work.ts";

export interface WatchdogLimits {
  /** After this long without a sign of life a line on stderr says so. */
  readonly tellMs: number;
  /** After this long what stands is ended. */
  readonly endMs: number;
  /** After this long more, the process. */
  readonly killMs: number;
}

export interface WatchdogData extends WatchdogLimits {
  readonly pulse: Int32Array;
  readonly lookMs: number;
}

/** What the thread tells when it has ended something; 0 when that was not an operation. */
export interface Ended {
  readonly id: number;
  readonly seconds: number;
}

const usual: WatchdogLimits = { tellMs: 2000, endMs: 10_000, killMs: 10_000 };
const lookMs = 500;

/**
 * The last line against work that does not end: a second thread looks whether this one still lives, tells when it does not,
 * and ends what it stands in. Keeps nothing alive. Does nothing under a debugger.
 */
export function startWatchdog(limits: WatchdogLimits = usual): void {
  if (debuggerUrl() !== undefined) return;
  beWatched();
  const data: WatchdogData = { ...limits, pulse, lookMs };
  const thread = new Worker(packageFile("dist/watchdog-thread.js"), {
    workerData: data,
    env: {},
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 },
  });
  thread.unref();
  thread.on("message", ({ id, seconds }: Ended) => tellEnded(id, seconds));
  thread.on("error", () => clearInterval(heart)); // without it, everything goes on as it is
  const heart = setInterval(() => {
    Atomics.add(pulse, beats, 1);
    // Somebody has attached one since, and will make us stand still.
    if (debuggerUrl() === undefined) return;
    clearInterval(heart);
    void thread.terminate();
  }, lookMs).unref();
}
