import type { Client, Progress, StandardSchemaV1 } from "@modelcontextprotocol/client";
import { type Exchange, endFailure, httpAnswer, requestFailure } from "./failure.ts";
import type { UpstreamError } from "./upstream-error.ts";

/** What the server says about itself. */
export interface ServerInfo {
  readonly name?: string;
  readonly version?: string;
  readonly title?: string;
  readonly instructions?: string;
}

export interface RequestOptions {
  readonly timeoutMs: number;
  /** How much of that time is gone already. */
  readonly elapsedMs?: number | undefined;
  readonly tool?: string | undefined;
  /** What else it is for, to follow "Cannot". */
  readonly what?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Any result passes as it is: the SDK's own schemas drop what they do not know and refuse what they do not expect. */
const anyResult: StandardSchemaV1<unknown, unknown> = {
  "~standard": { version: 1, vendor: "mcp-coordinator", validate: (value) => ({ value }) },
};

/** A server that is ready. A request is sent at most once and fails only with an UpstreamError. */
export class Connection {
  readonly #client: Client;
  readonly #exchange: Exchange;
  #inFlight = 0;
  #lastUse = performance.now();
  #hasAnswered = false;
  #wasCalled = false;
  #isForgotten = false;
  #isRetired = false;

  constructor(client: Client, exchange: Exchange) {
    this.#client = client;
    this.#exchange = exchange;
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

  async request(
    method: string,
    params: Record<string, unknown> | undefined,
    options: RequestOptions,
  ): Promise<unknown> {
    const { timeoutMs, elapsedMs = 0, signal, onProgress } = options;
    this.#inFlight++;
    this.#wasCalled ||= options.tool !== undefined || options.what !== undefined;
    try {
      const result = await this.#client.request(params === undefined ? { method } : { method, params }, anyResult, {
        timeout: Math.max(1, Math.ceil(timeoutMs - elapsedMs)),
        ...(signal && { signal }),
        ...(onProgress && { onprogress: onProgress }),
      });
      this.#hasAnswered = true;
      return result;
    } catch (thrown) {
      throw this.#explain(thrown, options);
    } finally {
      this.#inFlight--;
      this.#lastUse = performance.now();
      if (this.#isRetired && this.#inFlight === 0) void this.close();
    }
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

  /** Ends it within 4 s, with every process of the server. Requests in flight fail at once. Never rejects. */
  close(): Promise<void> {
    return this.#exchange.transport.close();
  }

  #explain(thrown: unknown, { timeoutMs, signal, tool, what }: RequestOptions): UpstreamError {
    const exchange = { ...this.#exchange, timeoutMs, signal };
    const failure = requestFailure(exchange, thrown, { tool, what });
    const status = httpAnswer(exchange, thrown)?.status;
    // A server that was restarted knows none of its sessions; some answer that with 400 instead of 404.
    this.#isForgotten ||= failure.code === "server_unreachable" || status === 400 || status === 404;
    this.#hasAnswered ||= failure.delivery === "failed";
    return failure;
  }
}
