import { type JSONRPCResponse, ProtocolError, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import type { Caller } from "../actor.ts";
import { type InputRequired, inputResponses, isInputRequired, mostRounds, openPages } from "./input-required.ts";
import { PendingCall } from "./pending-call.ts";
import type { Questions } from "./questions.ts";
import type { RequestOptions } from "./request-options.ts";
import type { StdioTransport } from "./transport/stdio-transport.ts";
import type { UpstreamError } from "./upstream-error.ts";

/** Above those that the SDK gives out on the same pipe; within 31 bits, since some servers count in those. */
const firstId = 1_000_000_000;
/** Timers may fire so much too early. */
const earlyMs = 1;

export interface StdioCallsOptions {
  readonly questions: Questions;
  /** What a server of 2026-07-28 is told with each message, as JSON; absent for the others. */
  readonly envelope: ((caller: Caller | undefined) => string) | undefined;
  /** A call is over: the server has answered it with a result, or not. */
  onEnd(hasResult: boolean): void;
  explain(thrown: unknown, options: RequestOptions, refusals: readonly string[]): UpstreamError;
}

/**
 * Calls of tools over a server's pipe, past the SDK, whose machinery takes as long as all else of a call. It keeps the
 * handshake, lists, the server's questions and progress.
 */
export class StdioCalls {
  readonly #transport: StdioTransport;
  readonly #options: StdioCallsOptions;
  /** By the id that each was last sent with, until it is over. */
  readonly #calls = new Map<number, PendingCall>();
  readonly #heard = new WeakSet<AbortSignal>();
  readonly #onTimeout = (call: PendingCall): void => this.#giveUp(call, timedOut());
  #lastId = firstId;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(transport: StdioTransport, options: StdioCallsOptions) {
    this.#transport = transport;
    this.#options = options;
    transport.onanswer = (answer) => this.#take(answer);
  }

  /** The server's own result. `args` is the JSON that is sent. Fails with an UpstreamError. */
  send(tool: string, args: string, options: RequestOptions): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const params = `{"name":${JSON.stringify(tool)},"arguments":${args}${this.#meta(options.caller)}`;
      const call = new PendingCall(options, params, this.#onTimeout, { resolve, reject });
      this.#options.questions.begin(call);
      const { signal } = options;
      if (signal?.aborted) return this.#fail(call, new SdkError(SdkErrorCode.RequestTimeout, String(signal.reason)));
      if (signal !== undefined) this.#hear(signal);
      this.#write(call);
    });
  }

  /** The connection is gone. */
  close(): void {
    clearTimeout(this.#timer);
    for (const call of [...this.#calls.values()]) {
      this.#fail(call, new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed"));
    }
  }

  #write(call: PendingCall): void {
    this.#calls.delete(call.id);
    call.id = ++this.#lastId;
    call.round++;
    call.isAnswered = false;
    this.#calls.set(call.id, call);
    if (call.deadline < this.#timerAt) this.#watch(call.deadline);
    else if (this.#calls.size === 1) this.#timer?.ref();
    const line = `{"jsonrpc":"2.0","id":${call.id},"method":"tools/call","params":${call.params}${call.more}}}`;
    try {
      this.#transport.sendRequest(line);
    } catch (thrown) {
      this.#fail(call, thrown);
    }
  }

  #meta(caller: Caller | undefined): string {
    const { envelope } = this.#options;
    return envelope === undefined ? "" : `,"_meta":${envelope(caller)}`;
  }

  /** Whether the answer is to one of them. */
  #take(answer: JSONRPCResponse): boolean {
    const call = this.#calls.get(Number(answer.id));
    if (call === undefined || call.isAnswered) return false;
    if ("error" in answer) {
      const { code, message, data } = answer.error;
      void this.#goOn(call, ProtocolError.fromError(code, message, data));
    } else if (this.#options.envelope !== undefined && isInputRequired(answer.result)) {
      void this.#goOn(call, answer.result);
    } else this.#finish(call, answer.result);
    return true;
  }

  #finish(call: PendingCall, result: Readonly<Record<string, unknown>>): void {
    if (result["resultType"] === undefined) return this.#resolve(call, result);
    const { resultType, ...rest } = result;
    const isKnown = resultType === "complete" || this.#options.envelope === undefined;
    if (isKnown) this.#resolve(call, rest);
    else this.#fail(call, new Error(`its result is of the unknown type ${JSON.stringify(resultType)}`));
  }

  /** The server wants something before it answers: an answer to its questions, or that the user opens a page. */
  async #goOn(call: PendingCall, answer: unknown): Promise<void> {
    call.isAnswered = true;
    try {
      if (answer instanceof Error) await this.#openPages(call, answer);
      else call.more = await this.#answers(call, answer as InputRequired);
      if (!call.isOver) this.#write(call);
    } catch (thrown) {
      this.#fail(call, thrown);
    }
  }

  async #openPages(call: PendingCall, error: Error): Promise<void> {
    const isOpened = call.round < mostRounds && (await openPages(error, call, this.#options.questions));
    if (!isOpened) throw error;
  }

  /** What the same request is sent again with. */
  async #answers(call: PendingCall, wanted: InputRequired): Promise<string> {
    if (call.round === mostRounds) throw new Error(`it still asks for input after ${mostRounds} rounds`);
    const { questions } = this.#options;
    const answers = JSON.stringify(await inputResponses(wanted, call.round, (one) => questions.ask(call, one)));
    return answers === "{}" ? "" : `,${answers.slice(1, -1)}`;
  }

  #resolve(call: PendingCall, result: unknown): void {
    if (call.isOver) return;
    this.#leave(call);
    this.#options.onEnd(true);
    call.resolve(result);
  }

  #fail(call: PendingCall, thrown: unknown): void {
    if (call.isOver) return;
    this.#leave(call);
    const failure = this.#options.explain(thrown, call.options, call.refusals);
    this.#options.onEnd(false);
    call.reject(failure);
  }

  #leave(call: PendingCall): void {
    this.#calls.delete(call.id);
    if (this.#calls.size === 0) this.#timer?.unref();
    this.#options.questions.end(call);
  }

  /** Tells the server, where that has not answered yet, and whoever waits for the call. */
  #giveUp(call: PendingCall, reason: unknown): void {
    if (call.isOver) return;
    if (!call.isAnswered) {
      const params = JSON.stringify({ requestId: call.id, reason: String(reason) }).slice(0, -1);
      const meta = this.#meta(call.caller);
      this.#tell(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}${meta}}}`);
    }
    this.#fail(call, reason instanceof SdkError ? reason : new SdkError(SdkErrorCode.RequestTimeout, String(reason)));
  }

  #tell(notification: string): void {
    try {
      this.#transport.sendNotification(notification);
    } catch {
      // One that is gone has nothing left to cancel.
    }
  }

  /** One listener for all calls of a run, whose signal is theirs. */
  #hear(signal: AbortSignal): void {
    if (this.#heard.has(signal)) return;
    this.#heard.add(signal);
    const onAbort = (): void => {
      for (const call of [...this.#calls.values()]) {
        if (call.options.signal === signal) this.#giveUp(call, signal.reason);
      }
    };
    signal.addEventListener("abort", onAbort, { once: true });
  }

  /** One timer for all calls, set to the time that is up first. It keeps the process alive while there is a call. */
  #watch(deadline: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = deadline;
    this.#timer = setTimeout(() => this.#expire(), deadline - performance.now());
  }

  #expire(): void {
    const now = performance.now() + earlyMs;
    let next = Number.POSITIVE_INFINITY;
    for (const call of [...this.#calls.values()]) {
      if (call.deadline <= now) this.#onTimeout(call);
      else next = Math.min(next, call.deadline);
    }
    this.#timerAt = next;
    if (next < Number.POSITIVE_INFINITY) this.#watch(next);
  }
}

function timedOut(): SdkError {
  return new SdkError(SdkErrorCode.RequestTimeout, "Request timed out");
}
