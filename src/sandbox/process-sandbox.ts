import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { CoordinatorError } from "../errors.ts";
import type { GuestPorts, Limits, Outcome, Program, Sandbox } from "./engine.ts";
import { createFrameReader, encodeFrame, nestsDeeper } from "./frames.ts";
import { type GuestMessage, readGuestMessage } from "./messages.ts";
import { createRequestQueue, type RequestQueue } from "./request-queue.ts";

export type SandboxProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** The most that a guest may send in one piece: the arguments of a call, a print, a result. */
const maxFrameBytes = 16 * 1024 * 1024;
const maxFrameDepth = 512;
const stderrTailBytes = 8192;
const printCostBytes = 16;

export interface ProcessSandboxOptions {
  readonly limits: Limits;
  /** How the process ended, when it was not by us: engines know their own exit codes. */
  readonly explainExit: (code: number | null, signal: NodeJS.Signals | null) => Outcome;
  readonly kill: () => void;
}

interface ActiveRun {
  readonly ports: GuestPorts;
  readonly queue: RequestQueue;
  printedBytes: number;
  settle(outcome: Outcome): void;
}

/** A sandbox over a process that speaks frames on stdin and stdout. Resolves when the process is ready for a program. */
export function openProcessSandbox(child: SandboxProcess, options: ProcessSandboxOptions): Promise<Sandbox> {
  return new Promise((resolve, reject) => {
    let active: ActiveRun | undefined;
    let stderr = "";
    let ended: Outcome | undefined;

    const end = (outcome: Outcome): void => {
      ended ??= outcome;
      options.kill();
      active?.settle(ended);
    };
    const sandbox: Sandbox = {
      get ended() {
        return ended !== undefined;
      },
      run: (program, ports, { timeoutMs, signal }) =>
        new Promise((done) => {
          if (ended) return done(ended);
          if (signal?.aborted) return done({ end: "cancelled" });
          const timer = setTimeout(() => end({ end: "timeout" }), timeoutMs);
          const cancel = () => end({ end: "cancelled" });
          signal?.addEventListener("abort", cancel, { once: true });
          active = {
            ports,
            printedBytes: 0,
            queue: createRequestQueue(options.limits, child),
            settle(outcome) {
              clearTimeout(timer);
              signal?.removeEventListener("abort", cancel);
              active?.queue.abort();
              active = undefined;
              done(outcome);
            },
          };
          sendProgram(child, program, options.limits);
        }),
      kill: () => end({ end: "cancelled" }),
    };

    const receive = (message: GuestMessage, bytes: number): void => {
      if (message.type === "ready") return resolve(sandbox);
      if (!active) return end(brokenProtocol("it spoke while no program ran"));
      handle(message, bytes, active, options.limits, end);
    };
    const reader = createFrameReader(
      maxFrameBytes,
      (bytes) => {
        if (ended) return;
        if (nestsDeeper(bytes, maxFrameDepth)) return end({ end: "limit", limit: "frame" });
        const message = readGuestMessage(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
        if (message) receive(message, bytes.length);
        else end(brokenProtocol("it sent a frame that is no message"));
      },
      () => end({ end: "limit", limit: "frame" }),
    );
    child.stdout.on("data", (chunk: Buffer) => reader.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-stderrTailBytes);
    });
    // The process may be gone before all is written to it; its end is reported by "close".
    child.stdin.on("error", () => {});
    child.on("error", (error) => {
      end({ end: "crashed", reason: error.message });
      reject(error);
    });
    child.on("close", (code, signal) => {
      end(options.explainExit(code, signal));
      reject(
        new CoordinatorError(
          "sandbox_failed",
          `The sandbox ended before it was ready: ${stderr.trim() || `exit code ${code ?? signal}`}`,
        ),
      );
    });
  });
}

function sendProgram(child: SandboxProcess, program: Program, limits: Limits): void {
  child.stdin.write(encodeFrame(JSON.stringify({ type: "run", ...program, outputBytes: limits.outputBytes })));
}

function handle(
  message: Exclude<GuestMessage, { type: "ready" }>,
  bytes: number,
  run: ActiveRun,
  limits: Limits,
  end: (outcome: Outcome) => void,
): void {
  switch (message.type) {
    case "print":
      // Something for each print, so that printing nothing for ever is not free.
      run.printedBytes += Buffer.byteLength(message.text) + printCostBytes;
      if (run.printedBytes > limits.outputBytes) return end({ end: "limit", limit: "output" });
      return run.ports.print(message.stream, message.text);
    case "call":
      if (!run.queue.add(message.id, bytes, (signal) => run.ports.call(message, signal))) {
        end({ end: "limit", limit: "tool_calls" });
      }
      return;
    case "operation":
      if (!run.queue.add(message.id, bytes, (signal) => run.ports.operation(message.name, message.args, signal))) {
        end({ end: "limit", limit: "tool_calls" });
      }
      return;
    case "done":
      if (bytes > limits.outputBytes) return end({ end: "limit", limit: "output" });
      return run.settle(Object.hasOwn(message, "value") ? { end: "ok", value: message.value } : { end: "ok" });
    case "failed":
      return run.settle({ end: "error", error: message.error });
    case "limit":
      return end({ end: "limit", limit: message.limit });
  }
}

function brokenProtocol(what: string): Outcome {
  return { end: "crashed", reason: `The guest broke the protocol: ${what}` };
}
