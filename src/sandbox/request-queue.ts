import { once, setMaxListeners } from "node:events";
import type { Readable, Writable } from "node:stream";
import { messageWithHint } from "../errors.ts";
import type { CallAnswer, GuestError, Limits } from "./engine.ts";
import { encodeFrame, encodeHeader } from "./frames.ts";
import { JsonPieces } from "./json-pieces.ts";

/** What a request brings, as JSON text. */
type Start = (signal: AbortSignal) => Promise<string | JsonPieces | CallAnswer>;

/** Requests of one run: at most `parallelToolCalls` under way, the rest wait in order; of those that are heavy, one. */
export interface RequestQueue {
  /** False when the run has used up its requests. */
  add(id: number, bytes: number, isHeavy: boolean, start: Start): boolean;
  /** Answers after a time. False when too many such answers are still to come. */
  wake(id: number, ms: number): boolean;
  /** Cancels what is under way and forgets what waits. */
  abort(): void;
}

/** Above these, the guest is not read from (arguments) or no further call is started (answers it does not read). */
const waitingBytesMax = 32 * 1024 * 1024;
const unreadAnswerBytesMax = 16 * 1024 * 1024;
/** What the answers that are under way may come to, if each is as long as the longest of late. */
const comingAnswersMax = 64 * 1024 * 1024;
const wakesMax = 64;
const longestTimerMs = 2 ** 31 - 1;

interface Waiting {
  readonly id: number;
  readonly bytes: number;
  readonly isHeavy: boolean;
  readonly start: Start;
}

export function createRequestQueue(
  limits: Limits,
  guest: { readonly input: Writable; readonly output: Readable },
): RequestQueue {
  const controller = new AbortController();
  const { signal } = controller;
  setMaxListeners(0, signal); // one listener for each call under way
  const waiting: Waiting[] = [];
  const waitingHeavy: Waiting[] = [];
  const timers = new Set<NodeJS.Timeout>();
  let requests = 0;
  let running = 0;
  let heldBytes = 0;
  let longestAnswer = 0;
  let isHeavyRunning = false;
  /** Answers that wait for the end of the one that is sent in pieces. */
  let behind: Uint8Array[] | undefined;

  const answer = (id: number, body: string): void => {
    if (signal.aborted) return;
    // Forgotten by and by: one large answer does not make all later calls wait for each other.
    longestAnswer = Math.max(body.length, longestAnswer - (longestAnswer >> 3));
    const frame = encodeFrame(`{"type":"answer","id":${id},${body}}`);
    if (behind) behind.push(frame);
    else guest.input.write(frame);
  };
  const answerInPieces = async (id: number, { length, pieces }: JsonPieces): Promise<void> => {
    if (signal.aborted) return;
    const head = Buffer.from(`{"type":"answer","id":${id},"value":`);
    guest.input.write(encodeHeader(head.length + length + 1));
    guest.input.write(head);
    behind = [Buffer.from("}")];
    try {
      for (const piece of pieces) {
        if (!guest.input.write(piece)) await once(guest.input, "drain", { signal });
      }
    } catch {
      // The run has ended; or the disk has failed, and nobody can tell where the frame ends.
      guest.input.destroy();
      return;
    }
    for (const frame of behind) guest.input.write(frame);
    behind = undefined;
  };
  const run = async (request: Waiting): Promise<void> => {
    try {
      const brought = await request.start(signal);
      if (brought instanceof JsonPieces) await answerInPieces(request.id, brought);
      else answer(request.id, answerBody(brought));
    } catch (thrown) {
      answer(request.id, `"error":${JSON.stringify(guestErrorOf(thrown))}`);
    }
    running--;
    if (request.isHeavy) isHeavyRunning = false;
    heldBytes -= request.bytes;
    if (heldBytes < waitingBytesMax && guest.output.isPaused()) guest.output.resume();
    pump();
  };
  const pumpWhenDrained = () => guest.input.off("drain", pump).once("drain", pump);
  const pump = (): void => {
    while (running < limits.parallelToolCalls && waiting.length > 0) {
      if (guest.input.writableLength > unreadAnswerBytesMax) return void pumpWhenDrained();
      if (running * longestAnswer > comingAnswersMax) return;
      running++;
      void run(waiting.shift() as Waiting);
    }
    if (isHeavyRunning || waitingHeavy.length === 0 || running >= limits.parallelToolCalls) return;
    if (guest.input.writableNeedDrain) return void pumpWhenDrained();
    running++;
    isHeavyRunning = true;
    void run(waitingHeavy.shift() as Waiting);
  };
  return {
    add(id, bytes, isHeavy, start) {
      if (++requests > limits.toolCalls) return false;
      heldBytes += bytes;
      (isHeavy ? waitingHeavy : waiting).push({ id, bytes, isHeavy, start });
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
      waitingHeavy.length = 0;
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
