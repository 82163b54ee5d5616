import { Worker } from "node:worker_threads";
import { CoordinatorError } from "../errors.ts";
import { packageFile } from "../system/package-file.ts";
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

interface Waiting {
  readonly turn: string;
  /** What it is and what it works on, fetched when its turn has come. */
  readonly message: () => Promise<JobMessage>;
  settle(answer: JobAnswer): void;
}

/** By turn; whoever has had one is last. */
const waiting = new Map<string, Set<Waiting>>();
let current: Waiting | undefined;
let thread: Worker | undefined;
let timer: NodeJS.Timeout | undefined;

/**
 * Does work whose length others decide, in a thread of its own, one piece at a time; this thread stays free for
 * everybody else. `input` is asked for when the turn has come.
 */
export function heavyWork<Name extends keyof Jobs>(
  name: Name,
  input: () => Parameters<Jobs[Name]>[0] | Promise<Parameters<Jobs[Name]>[0]>,
  { turn, signal }: HeavyOptions,
): Promise<ReturnType<Jobs[Name]>> {
  return new Promise((resolve, reject) => {
    const cancel = (): void => abandon(job);
    const job: Waiting = {
      turn,
      message: async () => ({ name, input: await input() }) as JobMessage,
      settle(answer) {
        signal?.removeEventListener("abort", cancel);
        if ("value" in answer) return resolve(answer.value as ReturnType<Jobs[Name]>);
        const { code, message, hint } = answer.error;
        reject(code ? new CoordinatorError(code, message, { hint }) : new Error(message));
      },
    };
    if (signal?.aborted) return job.settle({ error: cancelled });
    signal?.addEventListener("abort", cancel);
    waiting.set(turn, (waiting.get(turn) ?? new Set()).add(job));
    startNext();
  });
}

function startNext(): void {
  if (current) return;
  const job = takeNext();
  if (!job) return rest();
  current = job;
  clearTimeout(timer);
  timer = setTimeout(() => replace({ error: { code: "input_invalid", message: tooLong } }), patienceMs);
  send(job).catch((thrown) => current === job && finish({ error: thrown }));
}

async function send(job: Waiting): Promise<void> {
  const message = await job.message();
  if (current !== job) return; // it was cancelled
  thread ??= startThread();
  thread.ref();
  thread.postMessage(message);
}

function takeNext(): Waiting | undefined {
  for (const [turn, jobs] of waiting) {
    const [job] = jobs;
    waiting.delete(turn);
    if (!job) continue;
    jobs.delete(job);
    if (jobs.size > 0) waiting.set(turn, jobs);
    return job;
  }
  return undefined;
}

const cancelled = { code: "call_cancelled", message: "It was cancelled" } as const;
const tooLong = `It took longer than ${patienceMs / 1000} s`;
const tooLarge = {
  code: "input_invalid",
  message: "It takes more memory than there is for it",
  hint: "Ask for less at a time.",
} as const;

function abandon(job: Waiting): void {
  if (job === current) return replace({ error: cancelled });
  waiting.get(job.turn)?.delete(job);
  job.settle({ error: cancelled });
}

function settleCurrent(answer: JobAnswer): void {
  const done = current;
  current = undefined;
  done?.settle(answer);
}

function finish(answer: JobAnswer): void {
  settleCurrent(answer);
  startNext();
}

/** Ends the thread in the middle of what it does. */
function replace(answer: JobAnswer): void {
  void thread?.terminate();
  thread = undefined;
  settleCurrent(answer);
  // Not at once: when thousands are cancelled together, each would get a thread only to lose it.
  setImmediate(startNext);
}

function rest(): void {
  thread?.unref();
  clearTimeout(timer);
  timer = setTimeout(() => {
    void thread?.terminate();
    thread = undefined;
  }, idleMs).unref();
}

function startThread(): Worker {
  const started = new Worker(packageFile("dist/heavy-jobs.js"), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: threadMemoryMb },
  });
  started.on("message", (answer: JobAnswer) => thread === started && finish(answer));
  // It has ended by itself: of memory, as a rule.
  started.on("error", (error: NodeJS.ErrnoException) => {
    if (thread !== started) return;
    thread = undefined;
    finish({ error: error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooLarge : { message: error.message } });
  });
  return started;
}
