import { once, setMaxListeners } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { Aside } from "../actor.ts";
import { messageWithHint } from "../errors.ts";
import { longestTimerMs } from "../system/longest-timer.ts";
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
  /** The tool that it calls; absent for one of our own operations. */
  readonly calls?: { readonly server: string; readonly tool: string };
  readonly start: Start;
}

/** Requests of one run: at most `parallelToolCalls` under way, the rest wait in order; of those that are heavy, one. */
export interface RequestQueue {
  /** False when the run has used up its requests. */
  add(request: Request): boolean;
  /** Answers after a time. False when too many such answers are still to come. */
  wake(id: number, ms: number): boolean;
  /** For one that is under way: while the work is done another may be, and then it waits for its place again. */
  readonly aside: Aside;
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

export function createRequestQueue(
  limits: Limits,
  guest: { readonly input: Writable; readonly output: Readable },
  unreadMost = unreadOfAllMax,
): RequestQueue {
  const answers = createAnswers(guest.input, unreadMost);
  const wakes = createWakes((id) => answers.send(answer(id, '"value":null')));
  const waiting: Request[] = [];
  const waitingHeavy: Request[] = [];
  const returning: (() => void)[] = [];
  let requests = 0;
  let running = 0;
  let heldBytes = 0;
  let isHeavyRunning = false;

  const run = (request: Request): void => {
    running++;
    if (request.isHeavy) isHeavyRunning = true;
    answerTo(request, answers, () => {
      running--;
      if (request.isHeavy) isHeavyRunning = false;
      heldBytes -= request.bytes;
      if (heldBytes < waitingBytesMax && guest.output.isPaused()) guest.output.resume();
      pump();
    });
  };
  const pumpWhenDrained = () => guest.input.off("drain", pump).once("drain", pump);
  const pump = (): void => {
    while (running < limits.parallelToolCalls && returning.length > 0) {
      running++;
      returning.shift()?.();
    }
    while (running < limits.parallelToolCalls) {
      const [next] = waiting;
      if (!next) break;
      if (answers.unread() > unreadAnswerBytesMax) return void pumpWhenDrained();
      if (answers.unread() + running * answers.longest() > comingAnswersMax) return;
      waiting.shift();
      run(next);
    }
    const [heavy] = waitingHeavy;
    if (isHeavyRunning || !heavy || running >= limits.parallelToolCalls) return;
    if (guest.input.writableNeedDrain) return void pumpWhenDrained();
    waitingHeavy.shift();
    run(heavy);
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
    wake: wakes.add,
    async aside(work) {
      running--;
      pump();
      try {
        return await work();
      } finally {
        const isBack = new Promise<void>((resolve) => returning.push(resolve));
        pump();
        if (!answers.signal.aborted) await isBack;
      }
    },
    abort() {
      wakes.clear();
      waiting.length = 0;
      waitingHeavy.length = 0;
      for (const goOn of returning.splice(0)) goOn();
      answers.close();
    },
  };
}

/** Answers that come after a time. */
function createWakes(wake: (id: number) => void): { add: RequestQueue["wake"]; clear(): void } {
  const timers = new Set<NodeJS.Timeout>();
  return {
    add(id, ms) {
      if (timers.size >= wakesMax) return false;
      const answer = () => {
        timers.delete(timer);
        wake(id);
      };
      const timer = setTimeout(answer, Math.min(ms, longestTimerMs));
      timers.add(timer);
      return true;
    },
    clear() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** The way of answers to the guest of a run. */
interface Answers {
  /** Aborts when nothing goes there any more. */
  readonly signal: AbortSignal;
  /** Bytes that the guest has not read. */
  unread(): number;
  /** Of late. Forgotten by and by: one large answer does not make all later calls wait for each other. */
  longest(): number;
  send(message: Message): void;
  /** The same for one that may be dropped where there is no room for it: the guest is told the other instead. */
  sendIfRoom(message: Message, instead: () => Message): void;
  sendInPieces(id: number, json: JsonPieces): Promise<void>;
  close(): void;
}

/** For each run that is under way, what of its answers the guest has not read. */
const unreadOfRuns = new Set<() => number>();

function createAnswers(input: Writable, unreadMost: number): Answers {
  const controller = new AbortController();
  const { signal } = controller;
  setMaxListeners(0, signal); // one listener for each call under way
  let longest = 0;
  /** Answers that wait for the end of the one that is sent in pieces. */
  let behind: Uint8Array[] | undefined;
  let behindBytes = 0;
  const unread = () => input.writableLength + behindBytes;
  unreadOfRuns.add(unread);
  const hasRoom = (message: Message): boolean => {
    if (message.length <= shortAnswer || unread() === 0) return true;
    const bytes = byteLength(message);
    if (unread() + bytes <= unreadAnswerBytesMax) return true;
    let unreadOfAll = 0;
    for (const unreadOfRun of unreadOfRuns) unreadOfAll += unreadOfRun();
    return unreadOfAll + bytes <= unreadMost;
  };
  const send = (message: Message): void => {
    if (signal.aborted) return;
    const frame = frameOf(message);
    if (!behind) return void input.write(frame);
    behind.push(frame);
    behindBytes += frame.length;
  };
  return {
    signal,
    unread,
    longest: () => longest,
    send,
    sendIfRoom(message, instead) {
      longest = Math.max(message.length, longest - (longest >> 3));
      send(hasRoom(message) ? message : instead());
    },
    async sendInPieces(id, { length, pieces }) {
      if (signal.aborted) return;
      const head = Buffer.from(`{"type":"answer","id":${id},"value":`);
      input.write(encodeHeader(head.length + length + 1));
      input.write(head);
      behind = [Buffer.from("}")];
      try {
        for (const piece of pieces) {
          if (!input.write(piece)) await once(input, "drain", { signal });
        }
      } catch {
        // The run has ended; or the disk has failed, and nobody can tell where the frame ends.
        input.destroy();
        return;
      }
      for (const frame of behind) input.write(frame);
      behind = undefined;
      behindBytes = 0;
    },
    close() {
      unreadOfRuns.delete(unread);
      controller.abort();
    },
  };
}

/** Does what is asked for and answers; whatever goes wrong is an answer too. */
function answerTo(request: Request, answers: Answers, done: () => void): void {
  const { id } = request;
  const give = (brought: string | JsonPieces | CallAnswer): void => {
    if (brought instanceof JsonPieces) return void answers.sendInPieces(id, brought).then(done);
    answers.sendIfRoom(messageOf(id, brought), () => failed(id, droppedAnswer(request)));
    done();
  };
  const fail = (thrown: unknown): void => {
    const error = guestErrorOf(thrown);
    answers.sendIfRoom(failed(id, error), () => failed(id, withoutResult(error)));
    done();
  };
  try {
    request.start(answers.signal).then(give).catch(fail);
  } catch (thrown) {
    fail(thrown);
  }
}

/** What a frame carries: JSON, behind which a line that is a server's text may stand as it came. */
interface Message {
  readonly json: string;
  readonly text?: string;
  readonly length: number;
}

function answer(id: number, body: string): Message {
  const json = `{"type":"answer","id":${id},${body}}`;
  return { json, length: json.length };
}

function failed(id: number, error: GuestError): Message {
  return answer(id, `"error":${JSON.stringify(error)}`);
}

function messageOf(id: number, brought: string | CallAnswer): Message {
  if (typeof brought === "string") return answer(id, `"value":${brought}`);
  const rest = brought.rest === undefined ? "" : `,"rest":${brought.rest}`;
  if ("value" in brought) return answer(id, `"value":${brought.value}${rest}`);
  const json = `{"type":"text","id":${id}${rest}}\n`;
  return { json, text: brought.text, length: json.length + brought.text.length };
}

function byteLength({ json, text = "" }: Message): number {
  return Buffer.byteLength(json) + Buffer.byteLength(text);
}

function frameOf({ json, text = "" }: Message): Buffer {
  const jsonLength = Buffer.byteLength(json);
  const length = jsonLength + Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(4 + length);
  frame.writeUInt32BE(length);
  frame.write(json, 4);
  frame.write(text, 4 + jsonLength);
  return frame;
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
