import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Client,
  type Implementation,
  PROTOCOL_VERSION_META_KEY,
  SdkError,
  SdkErrorCode,
  type RequestOptions as SdkOptions,
  type ServerCapabilities,
  type StandardSchemaV1,
} from "@modelcontextprotocol/client";
import type { Caller } from "../actor.ts";
import { longestTimerMs } from "../system/longest-timer.ts";
import { createPausableTimers } from "../system/pausable-timers.ts";
import { waitFor } from "../system/wait-for.ts";
import { ArgumentHeaders } from "./argument-headers.ts";
import { type Exchange, endFailure, httpAnswer, requestFailure } from "./failure.ts";
import { inputResponses, isInputRequired, mostRounds, openPages } from "./input-required.ts";
import { listTools } from "./list-tools.ts";
import { over } from "./pending-call.ts";
import type { OpenCall, Questions } from "./questions.ts";
import { RawResults } from "./raw-results.ts";
import { type RequestOptions, timeLeft, whatOf } from "./request-options.ts";
import { StdioCalls } from "./stdio-calls.ts";
import { StdioTransport } from "./transport/stdio-transport.ts";
import type { UpstreamError } from "./upstream-error.ts";

/** What the server says about itself. */
export interface ServerInfo {
  readonly name?: string;
  readonly version?: string;
  readonly title?: string;
  readonly instructions?: string;
}

/** The time of a request is ours to measure: it stands still while a user is asked. */
const noTimeout = longestTimerMs;
/** Requests during which a server may ask. */
const mayAsk = new Set(["tools/call", "prompts/get", "resources/read"]);

/** Any result passes as it is: the SDK's own schemas drop what they do not know and refuse what they do not expect. */
const anyResult: StandardSchemaV1<unknown, unknown> = {
  "~standard": { version: 1, vendor: "mcp-coordinator", validate: (value) => ({ value }) },
};

/** How long a new server may take to ask for roots. */
const settleMs = 1000;

/** A server that is ready. A request is sent at most once and fails only with an UpstreamError. */
export class Connection {
  readonly #client: Client;
  readonly #exchange: Exchange;
  readonly #questions: Questions;
  readonly #results = new RawResults();
  /** Calls of tools, where the server is our child process. */
  readonly #calls: StdioCalls | undefined;
  /** Set where the protocol has them: over HTTP, from 2026-07-28 on. */
  readonly argumentHeaders: ArgumentHeaders | undefined;
  #learning: Promise<unknown> | undefined;
  #inFlight = 0;
  #lastUse = performance.now();
  #hasAnswered = false;
  #wasCalled = false;
  #isForgotten = false;
  #isRetired = false;

  constructor(client: Client, exchange: Exchange, questions: Questions, identity: Implementation) {
    const { transport } = exchange;
    const isModern = client.getProtocolEra() === "modern";
    this.#client = client;
    this.#exchange = exchange;
    this.#questions = questions;
    if (isModern) this.#results.watch(transport);
    this.argumentHeaders = isModern && transport.host !== undefined ? new ArgumentHeaders() : undefined;
    if (!(transport instanceof StdioTransport)) return;
    this.#calls = new StdioCalls(transport, {
      questions,
      envelope: isModern ? (caller) => JSON.stringify(envelopeOf(client, identity, caller)) : undefined,
      onEnd: (hasResult) => this.#ended(hasResult),
      explain: (thrown, options, refusals) => this.#explain(thrown, options, refusals),
    });
  }

  get capabilities(): ServerCapabilities {
    return this.#client.getServerCapabilities() ?? {};
  }

  get info(): ServerInfo {
    const { name, version, title } = this.#client.getServerVersion() ?? {};
    const instructions = this.#client.getInstructions();
    const told = Object.entries({ name, version, title, instructions }).filter(([, value]) => value !== undefined);
    return Object.fromEntries(told);
  }

  /** Whether it ever brought an answer. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Whether one of its tools was ever called. */
  get wasCalled(): boolean {
    return this.#wasCalled;
  }

  /** Whether a new request needs a new connection: this one has ended, or the server no longer knows it. */
  get isSpent(): boolean {
    return this.#isForgotten || this.#exchange.transport.end !== undefined;
  }

  /** Milliseconds since a request was last in flight. */
  get idleFor(): number {
    return this.#inFlight > 0 ? 0 : performance.now() - this.#lastUse;
  }

  /** Calls a tool. `argsText` is its arguments as JSON, and is what is sent where the way there is ours. */
  call(
    tool: string,
    args: Record<string, unknown>,
    argsText: string | undefined,
    options: RequestOptions,
  ): Promise<unknown> {
    const isLean = options.onProgress === undefined && !this.#mustSettle(options.caller);
    if (!this.#calls || !isLean) return this.request("tools/call", { name: tool, arguments: args }, options);
    this.#inFlight++;
    this.#wasCalled = true;
    return this.#calls.send(tool, argsText ?? JSON.stringify(args), options);
  }

  async request(
    method: string,
    params: Record<string, unknown> | undefined,
    options: RequestOptions,
  ): Promise<unknown> {
    const { signal, caller, tool } = options;
    this.#inFlight++;
    this.#wasCalled ||= tool !== undefined;
    let hasResult = false;
    const stop = new AbortController();
    // By hand: AbortSignal.any costs more than all else that is done here for a call.
    const cancel = () => stop.abort(signal?.reason);
    if (signal?.aborted) cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    const call: OpenCall = {
      what: whatOf(options),
      caller,
      timers: createPausableTimers(),
      signal: stop.signal,
      asked: 0,
      refusals: [],
    };
    const stopTimer = call.timers.start(timeLeft(options), () =>
      stop.abort(new SdkError(SdkErrorCode.RequestTimeout, "Request timed out")),
    );
    try {
      if (mayAsk.has(method)) await this.#settle(caller);
      const headers = method === "tools/call" ? await this.#headersOf(params ?? {}, options) : undefined;
      const send = () => this.#send(method, params, { onProgress: options.onProgress, headers }, call);
      const result = await (mayAsk.has(method) ? this.#questions.during(call, send) : send());
      hasResult = true;
      return result;
    } catch (thrown) {
      throw this.#explain(thrown, options, call.refusals);
    } finally {
      stopTimer();
      signal?.removeEventListener("abort", cancel);
      stop.abort(over);
      this.#ended(hasResult);
    }
  }

  #ended(hasResult: boolean): void {
    this.#hasAnswered ||= hasResult;
    this.#lastUse = performance.now();
    if (--this.#inFlight === 0 && this.#isRetired) void this.close();
  }

  /**
   * A server may ask for roots as soon as it is connected. That is not about the call that it was started for, and what
   * one client's call would tell it holds for all: by the answer to a ping it has asked, and was told that nobody is there.
   */
  async #settle(caller: Caller | undefined): Promise<void> {
    if (!this.#mustSettle(caller)) return;
    await waitFor(
      this.#client.ping().catch(() => {}),
      settleMs,
    );
  }

  #mustSettle(caller: Caller | undefined): boolean {
    if (this.#hasAnswered || caller?.capabilities["roots"] === undefined) return false;
    return this.#client.getProtocolEra() === "legacy";
  }

  /** Sends a request, and once more with the answers to each question that the server has instead of a result. */
  async #send(
    method: string,
    params: Record<string, unknown> | undefined,
    { onProgress, headers }: Pick<RequestOptions, "onProgress"> & Pick<SdkOptions, "headers">,
    call: OpenCall,
  ): Promise<unknown> {
    const { signal } = call;
    const sdkOptions: SdkOptions = {
      timeout: noTimeout,
      allowInputRequired: true,
      signal,
      ...(headers && { headers }),
      ...(onProgress && { onprogress: onProgress }),
    };
    let sent = mayAsk.has(method) ? this.#withCapabilities(params, call.caller) : params;
    for (let round = 1; ; round++) {
      try {
        const request = sent === undefined ? { method } : { method, params: sent };
        const result = this.#results.claim(await this.#client.request(request, anyResult, sdkOptions));
        if (!isInputRequired(result)) return result;
        if (round === mostRounds) throw new Error(`it still asks for input after ${mostRounds} rounds`);
        sent = { ...sent, ...(await inputResponses(result, round, (question) => this.#questions.ask(call, question))) };
      } catch (thrown) {
        const mayRetry = round < mostRounds && !signal.aborted && (await openPages(thrown, call, this.#questions));
        if (!mayRetry) throw thrown;
      }
    }
  }

  /** Servers of 2026-07-28 learn with each request what its client can do; the others know only what we can hand on. */
  #withCapabilities(params: Record<string, unknown> | undefined, caller: Caller | undefined) {
    if (this.#client.getProtocolEra() !== "modern") return params;
    const meta = params?.["_meta"] as Record<string, unknown> | undefined;
    return { ...params, _meta: { ...meta, [CLIENT_CAPABILITIES_META_KEY]: capabilitiesOf(caller) } };
  }

  async #headersOf(
    params: Record<string, unknown>,
    options: RequestOptions,
  ): Promise<Record<string, string> | undefined> {
    const { argumentHeaders } = this;
    if (argumentHeaders === undefined) return undefined;
    // Without its list, which also names the headers, the call is sent as it is: the server says if that will not do.
    if (!argumentHeaders.isReady) {
      const { timeoutMs, elapsedMs } = options;
      this.#learning ??= listTools(this.#exchange.server, this, { timeoutMs, elapsedMs }).catch(() => {});
      await this.#learning;
      this.#learning = undefined;
    }
    return argumentHeaders.of(params["name"], params["arguments"]);
  }

  /** Whether the server answers anything at all, be it an error. */
  async responds(timeoutMs: number): Promise<boolean> {
    const method = this.#client.getProtocolEra() === "modern" ? "server/discover" : "ping";
    return this.request(method, undefined, { timeoutMs }).then(
      () => true,
      (thrown: UpstreamError) => thrown.delivery === "failed",
    );
  }

  /** Ends what does not answer, or where that is not ours to end, no longer uses it. Says why. */
  giveUp(words: string): void {
    this.#isForgotten = true;
    this.#exchange.transport.giveUp?.(words);
  }

  /** Why it ended. */
  endFailure(): UpstreamError {
    return endFailure(this.#exchange);
  }

  /** Closes it when the last request in flight is done. */
  retire(): void {
    this.#isRetired = true;
    if (this.#inFlight === 0) void this.close();
  }

  /** It has ended: whoever still waits is told. */
  abandon(): void {
    this.#calls?.close();
  }

  /** Ends it within 4 s, with every process of the server. Requests in flight fail at once. Never rejects. */
  close(): Promise<void> {
    return this.#exchange.transport.close();
  }

  #explain(thrown: unknown, options: RequestOptions, refusals: readonly string[]): UpstreamError {
    const { timeoutMs, signal, tool } = options;
    const exchange = { ...this.#exchange, timeoutMs, signal };
    const failure = requestFailure(exchange, thrown, { tool, what: whatOf(options), refusals });
    const status = httpAnswer(exchange, thrown)?.status;
    // A server that was restarted knows none of its sessions; some answer that with 400 instead of 404.
    this.#isForgotten ||= failure.code === "server_unreachable" || status === 400 || status === 404;
    this.#hasAnswered ||= failure.delivery === "failed";
    return failure;
  }
}

/** What the SDK adds to each message to them. */
function envelopeOf(client: Client, identity: Implementation, caller: Caller | undefined): object {
  return {
    [PROTOCOL_VERSION_META_KEY]: client.getNegotiatedProtocolVersion(),
    [CLIENT_INFO_META_KEY]: identity,
    [CLIENT_CAPABILITIES_META_KEY]: capabilitiesOf(caller),
  };
}

/** Those of a client that we can hand on. */
function capabilitiesOf(caller: Caller | undefined): object {
  const { elicitation, sampling, roots } = caller?.capabilities ?? {};
  return Object.fromEntries(
    Object.entries({ elicitation, sampling, roots }).filter(([, value]) => value !== undefined),
  );
}
