import type { Readable, Writable } from "node:stream";
import { CoordinatorError } from "../errors.ts";
import { exceeds } from "../system/json-bounds.ts";
import { createPausableTimers } from "../system/pausable-timers.ts";
import type { GuestPorts, Limits, Outcome, Sandbox } from "./engine.ts";
import { createFrameReader, encodeFrame } from "./frames.ts";
import { mediaLength } from "./media-length.ts";
import { type GuestMessage, readGuestMessage } from "./messages.ts";
import { createPacedReading } from "./paced-reading.ts";
import { createRequestQueue, type RequestQueue } from "./request-queue.ts";

/** A process that speaks frames: where they go in, where they come out, and how it ends. */
export interface GuestProcess {
  readonly input: Writable;
  readonly output: Readable;
  /** When the process is gone: how a run that it was in the middle of has ended, and its last words. Never rejects. */
  readonly gone: Promise<{ readonly outcome: Outcome; readonly lastWords: string }>;
  /** Ends the process and all below it, at once. */
  kill(): void;
}

/** The most that a guest may send in one piece: the arguments of a call, a print, a result. */
const maxFrameBytes = 16 * 1024 * 1024;
const frameBounds = { depth: 512, values: 500_000 };
/** More of a result comes in parts, beside its images, audio and resources. */
const mostResultBytes = 1_000_000;
const printCostBytes = 16;
/** What a run may print before it is read no faster than others can bear. */
const freePrintBytes = 1_000_000;

type PacedReading = ReturnType<typeof createPacedReading>;

interface ActiveRun {
  readonly ports: GuestPorts;
  readonly queue: RequestQueue;
  printedBytes: number;
  wait(written: Promise<void> | undefined): void;
  settle(outcome: Outcome): void;
}

/** A sandbox over a process. Resolves when the process is ready for a program. */
export function openSandbox(guest: GuestProcess, limits: Limits): Promise<Sandbox> {
  return new Promise((resolve, reject) => {
    const reading = createPacedReading(guest.output, (chunk) => reader.push(chunk));
    const { sandbox, end, receive } = createSandbox(guest, limits, reading, () => resolve(sandbox));
    const reader = createFrameReader(maxFrameBytes, receive, () => end({ end: "limit", limit: "frame" }));
    // The process may be gone before all is written to it; how it ended is what counts.
    guest.input.on("error", () => {});
    guest.output.on("error", () => {});
    void guest.gone.then(({ outcome, lastWords }) => {
      end(outcome);
      const reason = lastWords.trim() || (outcome.end === "crashed" ? outcome.reason : outcome.end);
      reject(new CoordinatorError("sandbox_failed", `The sandbox ended before it was ready: ${reason}`));
    });
  });
}

function createSandbox(guest: GuestProcess, limits: Limits, reading: PacedReading, onReady: () => void) {
  let active: ActiveRun | undefined;
  let ended: Outcome | undefined;
  const end = (outcome: Outcome): void => {
    ended ??= outcome;
    guest.kill();
    reading.end();
    active?.settle(ended);
  };
  const run: Sandbox["run"] = (program, ports, { timeoutMs, signal, timers = createPausableTimers() }) =>
    new Promise((done) => {
      if (ended) return done(ended);
      if (signal?.aborted) return done({ end: "cancelled" });
      const stopTimer = timers.start(timeoutMs, () => end({ end: "timeout" }));
      const cancel = () => end({ end: "cancelled" });
      signal?.addEventListener("abort", cancel, { once: true });
      const queue = createRequestQueue(limits, guest);
      active = {
        ports,
        printedBytes: 0,
        queue,
        wait: reading.waitFor,
        settle(outcome) {
          stopTimer();
          reading.isFlooding = false;
          signal?.removeEventListener("abort", cancel);
          queue.abort();
          active = undefined;
          done(outcome);
        },
      };
      const { outputBytes } = limits;
      guest.input.write(encodeFrame(JSON.stringify({ type: "run", ...program, outputBytes })));
    });
  const receive = (bytes: Uint8Array): void => {
    if (ended) return;
    if (exceeds(bytes, frameBounds)) return end({ end: "limit", limit: "frame" });
    const message = readGuestMessage(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
    if (!message) return end(brokenProtocol("it sent a frame that is not a message"));
    if (message.type === "ready") return onReady();
    if (!active) return end(brokenProtocol("it spoke while no program ran"));
    handle(message, bytes.length, active, end);
    if (active && active.printedBytes > freePrintBytes) reading.isFlooding = true;
  };
  const sandbox: Sandbox = {
    get ended() {
      return ended !== undefined;
    },
    run,
    kill: () => end({ end: "cancelled" }),
  };
  return { sandbox, end, receive };
}

function handle(
  message: Exclude<GuestMessage, { type: "ready" }>,
  bytes: number,
  run: ActiveRun,
  end: (outcome: Outcome) => void,
): void {
  switch (message.type) {
    case "print":
      // Something for each print, so that printing nothing for ever is not free.
      run.printedBytes += bytes + printCostBytes;
      return run.wait(run.ports.print(message.stream, message.text, message.skipped));
    case "part":
      run.printedBytes += bytes;
      return run.wait(run.ports.addResult?.(message.text));
    case "call": {
      const { id, server, tool } = message;
      const start = (signal: AbortSignal) => run.ports.call(message, signal, run.queue.aside);
      if (!run.queue.add({ id, bytes, calls: { server, tool }, start })) end({ end: "limit", limit: "tool_calls" });
      return;
    }
    case "operation": {
      const { id, name, args } = message;
      const isHeavy = run.ports.isHeavy?.(name) ?? false;
      const start = (signal: AbortSignal) => run.ports.operation(name, args, signal, run.queue.aside);
      if (!run.queue.add({ id, bytes, isHeavy, start })) end({ end: "limit", limit: "tool_calls" });
      return;
    }
    case "wake":
      if (!run.queue.wake(message.id, message.ms)) end(brokenProtocol("it asked to be woken too often"));
      return;
    case "done":
      if (bytes > mostResultBytes && bytes - mediaLength(message.value) > mostResultBytes) {
        return end(brokenProtocol("it sent a long result in one piece"));
      }
      return run.settle(doneOutcome(message));
    case "failed":
      return run.settle({ end: "error", error: message.error });
    case "limit":
      return end({ end: "limit", limit: message.limit });
  }
}

function doneOutcome({ type: _type, ...result }: GuestMessage & { type: "done" }): Outcome {
  return { end: "ok", ...result };
}

function brokenProtocol(what: string): Outcome {
  return { end: "crashed", reason: `The guest broke the protocol: ${what}` };
}
