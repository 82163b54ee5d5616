import { setMaxListeners } from "node:events";
import type { Readable, Writable } from "node:stream";
import { messageWithHint } from "../errors.ts";
import type { CallAnswer, GuestError, Limits } from "./engine.ts";
import { encodeFrame, encodeParts } from "./frames.ts";

/** What a request brings, as JSON text. */
type Start = (signal: AbortSignal) => Promise<string | Uint8Array | CallAnswer>;

/** Requests of one run: at most `parallelToolCalls` under way, the rest wait in order. */
export interface RequestQueue {
  /** False when the run has used up its requests. */
  add(id: number, bytes: number, start: Start): boolean;
  /** Answers after a time. False when too many such answers are still to come. */
  wake(id: number, ms: number): boolean;
  /** Cancels what is under way and forgets what waits. */
  abort(): void;
}

/** Above these, the guest is not read from (arguments) or no further call is started (answers it does not read). */
const waitingBytesMax = 32 * 1024 * 1024;
const unreadAnswerBytesMax = 16 * 1024 * 1024;
const wakesMax = 64;
const longestTimerMs = 2 ** 31 - 1;

interface Waiting {
  readonly id: number;
  readonly bytes: number;
  readonly start: Start;
}

export function createRequestQueue(
  limits: Limits,
  guest: { readonly input: Writable; readonly output: Readable },
): RequestQueue {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal); // one listener for each call under way
  const waiting: Waiting[] = [];
  const timers = new Set<NodeJS.Timeout>();
  let requests = 0;
  let running = 0;
  let heldBytes = 0;

  const answer = (id: number, body: string): void => {
    if (controller.signal.aborted) return;
    guest.input.write(encodeFrame(`{"type":"answer","id":${id},${body}}`));
  };
  const answerBytes = (id: number, value: Uint8Array): void => {
    if (controller.signal.aborted) return;
    for (const part of encodeParts([`{"type":"answer","id":${id},"value":`, value, "}"])) guest.input.write(part);
  };
  const run = async (request: Waiting): Promise<void> => {
    try {
      const brought = await request.start(controller.signal);
      if (brought instanceof Uint8Array) answerBytes(request.id, brought);
      else answer(request.id, answerBody(brought));
    } catch (thrown) {
      answer(request.id, `"error":${JSON.stringify(guestErrorOf(thrown))}`);
    }
    running--;
    heldBytes -= request.bytes;
    if (heldBytes < waitingBytesMax && guest.output.isPaused()) guest.output.resume();
    pump();
  };
  const pump = (): void => {
    while (running < limits.parallelToolCalls && waiting.length > 0) {
      if (guest.input.writableLength > unreadAnswerBytesMax) {
        guest.input.off("drain", pump).once("drain", pump);
        return;
      }
      running++;
      void run(waiting.shift() as Waiting);
    }
  };
  return {
    add(id, bytes, start) {
      if (++requests > limits.toolCalls) return false;
      heldBytes += bytes;
      waiting.push({ id, bytes, start });
      if (heldBytes >= waitingBytesMax) guest.output.pause();
      pump();
      return true;
    },
    wake(id, ms) {
      if (timers.size >= wakesMax) return false;
      const timer = setTimeout(
        () => {
          timers.delete(timer);
          answer(id, '"value":null');
        },
        Math.min(ms, longestTimerMs),
      );
      timers.add(timer);
      return true;
    },
    abort() {
      for (const timer of timers) clearTimeout(timer);
      waiting.length = 0;
      controller.abort();
    },
  };
}

function answerBody(answer: string | CallAnswer): string {
  if (typeof answer === "string") return `"value":${answer}`;
  return answer.rest === undefined ? `"value":${answer.value}` : `"value":${answer.value},"rest":${answer.rest}`;
}

/** What the guest is told of a failure on our side. */
function guestErrorOf(thrown: unknown): GuestError {
  const fields = (typeof thrown === "object" && thrown !== null ? thrown : {}) as Partial<Record<string, unknown>>;
  const { code, server, tool, delivery, retryAfterMs, result } = fields;
  return {
    name: "Error",
    message: messageWithHint(thrown),
    ...(typeof code === "string" && { code }),
    ...(typeof server === "string" && { server }),
    ...(typeof tool === "string" && { tool }),
    ...((delivery === "not_sent" || delivery === "failed" || delivery === "unknown") && { delivery }),
    ...(typeof retryAfterMs === "number" && { retryAfterMs }),
    ...(result !== undefined && { result }),
  };
}
