import { Worker } from "node:worker_threads";
import { CoordinatorError } from "../errors.ts";
import { longestTimerMs } from "../system/longest-timer.ts";
import { packageFile } from "../system/package-file.ts";
import { Turns } from "../system/turns.ts";
import { waitFor } from "../system/wait-for.ts";
import type { JobAnswer, JobMessage, Jobs } from "./heavy-jobs.ts";

export interface HeavyOptions {
  /** Whose work it is: those who wait take turns. */
  readonly turn: string;
  readonly signal?: AbortSignal | undefined;
}

/** After this long without work the thread is ended. */
const idleMs = 30_000;
/** No job takes that long without being stuck. */
const patienceMs = 30_000;
const threadMemoryMb = 768;

/** One piece of work at a time. */
const turns = new Turns({ most: 1 });
let answered: ((answer: JobAnswer) => void) | undefined;
let thread: Worker | undefined;
let idle: NodeJS.Timeout | undefined;

/**
 * Does work whose length others decide, in a thread of its own, one piece at a time; this thread stays free for
 * everybody else. `input` is asked for when the turn has come.
 */
export async function heavyWork<Name extends keyof Jobs>(
  name: Name,
  input: () => Parameters<Jobs[Name]>[0] | Promise<Parameters<Jobs[Name]>[0]>,
  { turn, signal }: HeavyOptions,
): Promise<ReturnType<Jobs[Name]>> {
  const place = turns.enterAgain(turn);
  try {
    if (place.turn) await waitFor(place.turn, longestTimerMs, signal);
    if (signal?.aborted) throw cancelled();
    const message = { name, input: await input() } as JobMessage;
    if (signal?.aborted) throw cancelled();
    return unpack(await inThread(message, signal));
  } finally {
    place.leave();
  }
}

async function inThread(message: JobMessage, signal: AbortSignal | undefined): Promise<JobAnswer> {
  try {
    const done = await waitFor(ask(message), patienceMs, signal);
    if (typeof done === "object") return done.value;
    endThread(); // in the middle of what it does
    throw done === "cancelled" ? cancelled() : new CoordinatorError("input_invalid", tooLong);
  } finally {
    thread?.unref();
    clearTimeout(idle);
    idle = setTimeout(endThread, idleMs).unref();
  }
}

function ask(message: JobMessage): Promise<JobAnswer> {
  clearTimeout(idle);
  const asked = thread ?? startThread();
  thread = asked;
  asked.ref();
  return new Promise((resolve) => {
    answered = resolve;
    asked.postMessage(message);
  });
}

function unpack<Value>(answer: JobAnswer): Value {
  if ("value" in answer) return answer.value as Value;
  const { code, message, hint } = answer.error;
  throw code ? new CoordinatorError(code, message, { hint }) : new Error(message);
}

const tooLong = `It took longer than ${patienceMs / 1000} s`;
const tooLarge = {
  code: "input_invalid",
  message: "It needs more memory than it may use",
  hint: "Ask for less at a time.",
} as const;

function cancelled(): CoordinatorError {
  return new CoordinatorError("call_cancelled", "It was cancelled");
}

function endThread(): void {
  void thread?.terminate();
  thread = undefined;
}

function startThread(): Worker {
  const started = new Worker(packageFile("dist/heavy-jobs.js"), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: threadMemoryMb },
  });
  started.on("message", (answer: JobAnswer) => thread === started && answered?.(answer));
  // It has ended by itself: of memory, as a rule.
  started.on("error", (error: NodeJS.ErrnoException) => {
    if (thread !== started) return;
    thread = undefined;
    answered?.({ error: error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooLarge : { message: error.message } });
  });
  return started;
}
