import { once, setMaxListeners } from "node:events";
import type { Readable, Writable } from "node:stream";
import { messageWithHint } from "../errors.ts";
import type { CallAnswer, GuestError, Limits } from "./engine.ts";
import { encodeHeader } from "./frames.ts";
import { JsonPieces } from "./json-pieces.ts";

/** What a request brings, as JSON text. */
type Start = (signal: AbortSignal) => Promise<string | JsonPieces | CallAnswer>;

interface Request {
  readonly id: number;
  /** What it takes while it waits. */
  readonly bytes: number;
  readonly isHeavy?: boolean;
  /** The tool that it calls; absent for an operation of ours. */
  readonly calls?: { readonly server: string; readonly tool: string };
  readonly start: Start;
}

/** Requests of one run: at most `parallelToolCalls` under way, the rest wait in order; of those that are heavy, one. */
export interface RequestQueue {
  /** False when the run has used up its requests. */
  add(request: Request): boolean;
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
/** What all runs together may leave unread. How long answers are shows only when they come: those of calls made at once can be any. */
const unreadOfAllMax = 512 * 1024 * 1024;
/** So short an answer is never dropped. */
const shortAnswer = 16 * 1024;
const wakesMax = 64;
const longestTimerMs = 2 ** 31 - 1;

/** For each run that is under way, what of its answers the guest has not read. */
const unreadOfRuns = new Set<() => number>();

export function createRequestQueue(
  limits: Limits,
  guest: { readonly input: Writable; readonly output: Readable },
  unreadMost = unreadOfAllMax,
): RequestQueue {
  const controller = new AbortController();
  const { signal } = controller;
  setMaxListeners(0, signal); // one listener for each call under way
  const waiting: Request[] = [];
  const waitingHeavy: Request[] = [];
  const timers = new Set<NodeJS.Timeout>();
  let requests = 0;
  let running = 0;
  let heldBytes = 0;
  let longestAnswer = 0;
  let isHeavyRunning = false;
  /** Answers that wait for the end of the one that is sent in pieces. */
  let behind: Uint8Array[] | undefined;
  let behindBytes = 0;

  const unread = () => guest.input.writableLength + behindBytes;
  unreadOfRuns.add(unread);
  const hasRoom = (body: string): boolean => {
    if (body.length <= shortAnswer || unread() === 0) return true;
    const bytes = Buffer.byteLength(body);
    if (unread() + bytes <= unreadAnswerBytesMax) return true;
    let unreadOfAll = 0;
    for (const unreadOfRun of unreadOfRuns) unreadOfAll += unreadOfRun();
    return unreadOfAll + bytes <= unreadMost;
  };
  const send = (id: number, body: string): void => {
    const frame = frameOf(`{"type":"answer","id":${id},${body}}`);
    if (!behind) return void guest.input.write(frame);
    behind.push(frame);
    behindBytes += frame.length;
  };
  const answer = ({ id }: Request, body: string, instead: () => GuestError): void => {
    if (signal.aborted) return;
    // Forgotten by and by: one large answer does not make all later calls wait for each other.
    longestAnswer = Math.max(body.length, longestAnswer - (longestAnswer >> 3));
    send(id, hasRoom(body) ? body : `"error":${JSON.stringify(instead())}`);
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
    behindBytes = 0;
  };
  const run = async (request: Request): Promise<void> => {
    try {
      const brought = await request.start(signal);
      if (brought instanceof JsonPieces) await answerInPieces(request.id, brought);
      else answer(request, answerBody(brought), () => droppedAnswer(request));
    } catch (thrown) {
      const error = guestErrorOf(thrown);
      answer(request, `"error":${JSON.stringify(error)}`, () => withoutResult(error));
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
      if (unread() > unreadAnswerBytesMax) return void pumpWhenDrained();
      if (unread() + running * longestAnswer > comingAnswersMax) return;
      running++;
      void run(waiting.shift() as Request);
    }
    if (isHeavyRunning || waitingHeavy.length === 0 || running >= limits.parallelToolCalls) return;
    if (guest.input.writableNeedDrain) return void pumpWhenDrained();
    running++;
    isHeavyRunning = true;
    void run(waitingHeavy.shift() as Request);
  };
  return {
    add(request) {
      if (++requests > limits.toolCalls) return false;
      heldBytes += request.bytes;
      (request.isHeavy ? waitingHeavy : waiting).push(request);
      if (heldBytes >= waitingBytesMax) guest.output.pause();
      pump();
      return true;
    },
    wake(id, ms) {
      if (timers.size >= wakesMax) return false;
      const timer = setTimeout(
        () => {
          timers.delete(timer);
          if (!signal.aborted) send(id, '"value":null');
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
      unreadOfRuns.delete(unread);
      controller.abort();
    },
  };
}

/** As encodeFrame, with one copy less of a text that can be very long. */
function frameOf(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(4 + length);
  frame.writeUInt32BE(length);
  frame.write(text, 4);
  return frame;
}

function answerBody(answer: string | CallAnswer): string {
  if (typeof answer === "string") return `"value":${answer}`;
  return answer.rest === undefined ? `"value":${answer.value}` : `"value":${answer.value},"rest":${answer.rest}`;
}

const tooMuch = "more answers wait to be read than there is room for";
const advice = "Ask for less at a time, or wait for each large answer before you ask for the next.";

function droppedAnswer({ calls }: Request): GuestError {
  const what = calls ? `the server has done what it was asked, but its answer` : "it was done, but its answer";
  const message = `The answer was dropped: ${what} is large, and ${tooMuch}. ${advice}`;
  return { name: "Error", message, code: "call_failed", ...(calls && { ...calls, delivery: "failed" }) };
}

/** Of a tool that answered with an error, at greater length than there is room for. */
function withoutResult({ result: _dropped, ...error }: GuestError): GuestError {
  return { ...error, message: `${error.message} (without its whole result: ${tooMuch}. ${advice})` };
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
