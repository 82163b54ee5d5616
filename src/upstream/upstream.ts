import type { ServerConfig } from "../config/server.ts";
import type { ErrorCode } from "../errors.ts";
import { backoff } from "./backoff.ts";
import type { Caller } from "./caller.ts";
import type { Dialect, Notice, Vitals } from "./connect.ts";
import type { Connection } from "./connection.ts";
import { createRedact } from "./redact.ts";
import { UpstreamError } from "./upstream-error.ts";
import { waitFor } from "./wait-for.ts";

export interface UpstreamState {
  readonly state: "idle" | "starting" | "ready" | "failed";
  readonly pid?: number;
  /** When it came into this state, in milliseconds since 1970. */
  readonly since: number;
  /** Why it failed the last time; undefined once it is ready. */
  readonly lastError?: string;
  /** The end of what its process wrote to stderr, without secrets but otherwise as written. */
  readonly stderrTail?: string;
  /** Lines on its stdout that were no messages. */
  readonly skippedLines: number;
  /** Until then calls fail without trying, in milliseconds since 1970. */
  readonly retryAt?: number;
}

export interface UpstreamOptions {
  readonly version: string;
  readonly connectTimeoutMs: number;
  readonly idleMs: number;
  readonly listedOnlyMs: number;
  /** The server tells something; `caller` is whom it tells that, where it was about a call. */
  onNotice(notice: Notice, caller: Caller | undefined): void;
}

interface Wait {
  readonly timeoutMs: number;
  readonly tool?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One configured server: started by the first request, shared by all, closed when idle, started again by the next. It
 * has at most one process at a time.
 */
export class Upstream {
  readonly #server: ServerConfig;
  readonly #options: UpstreamOptions;
  readonly #stop = new AbortController();
  /** What is still being ended; nothing new is started before that is done. */
  readonly #closing = new Set<Promise<void>>();
  #state: UpstreamState["state"] = "idle";
  #since = Date.now();
  #connection: Connection | undefined;
  #starting: Promise<Connection> | undefined;
  #dialect: Dialect | undefined;
  #vitals: Vitals | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #failures = 0;
  #retryAt = 0;
  #lastError: UpstreamError | undefined;

  constructor(server: ServerConfig, options: UpstreamOptions) {
    this.#server = server;
    this.#options = options;
  }

  /** The connection, when there is one to use at once. */
  get ready(): Connection | undefined {
    return this.#connection?.isSpent ? undefined : this.#connection;
  }

  get state(): UpstreamState {
    const { pid, skippedLines = 0 } = this.#vitals ?? {};
    const isLive = this.#state === "ready" || this.#state === "starting";
    const stderrTail = createRedact(this.#server)(this.#vitals?.stderrTail() ?? "");
    return {
      state: this.#state,
      since: this.#since,
      skippedLines,
      ...(isLive && pid !== undefined && { pid }),
      ...(this.#lastError && { lastError: this.#lastError.message }),
      ...(stderrTail !== "" && { stderrTail }),
      ...(this.#retryAt > Date.now() && { retryAt: this.#retryAt }),
    };
  }

  /** A connection that is ready; starts the server if there is none. Nothing is sent: to fail here is `not_sent`. */
  async open({ timeoutMs, tool, signal }: Wait): Promise<Connection> {
    if (this.ready !== undefined) return this.ready;
    this.#connection?.retire();
    this.#connection = undefined;
    const name = JSON.stringify(this.#server.name);
    const fail = (
      code: ErrorCode,
      message: string,
      { hint, cause }: { hint?: string | undefined; cause?: unknown } = {},
    ) => new UpstreamError(code, message, { server: this.#server.name, tool, delivery: "not_sent", hint, cause });
    if (this.#stop.signal.aborted) throw fail("server_closed", `Cannot start upstream ${name}: we are closing`);
    const restMs = this.#retryAt - Date.now();
    if (this.#lastError !== undefined && this.#starting === undefined && restMs > 0) {
      const { code, message } = this.#lastError;
      const rest = `It failed ${this.#failures} times in a row and is tried again in ${(restMs / 1000).toFixed(1)} s.`;
      throw fail(code, `${message}\n${rest}`, this.#lastError);
    }
    this.#starting ??= this.#start();
    const outcome = await waitFor(this.#starting, timeoutMs, signal).catch((thrown: UpstreamError) => {
      throw fail(thrown.code, thrown.message, thrown);
    });
    if (outcome === "cancelled") throw fail("call_cancelled", `The wait for upstream ${name} was cancelled`);
    if (outcome === "late") throw fail("call_timeout", `Upstream ${name} was not ready within ${timeoutMs / 1000} s`);
    return outcome.value;
  }

  /** Ends it within 4 s, even while it is starting. It cannot be used again. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#letGo();
    // Told to stop, a start fails at once and leaves what it has started among what is being ended.
    await this.#starting?.catch(() => {});
    await Promise.all(this.#closing);
  }

  async #start(): Promise<Connection> {
    this.#enter("starting");
    try {
      await Promise.all(this.#closing);
      // Here and not above: the SDK takes longer to load than everything else that a start of ours needs.
      const { connect } = await import("./connect.ts");
      const { connection, dialect } = await connect(this.#server, {
        ...this.#options,
        timeoutMs: this.#options.connectTimeoutMs,
        signal: this.#stop.signal,
        dialect: this.#dialect,
        onVitals: (vitals) => {
          this.#vitals = vitals;
        },
        onAmbiguousQuestion: () => {},
        onClosing: (closed) => this.#track(closed),
        onEnd: (ended) => this.#ended(ended),
      });
      this.#dialect = dialect;
      this.#connection = connection;
      this.#lastError = undefined;
      this.#enter("ready");
      this.#watchIdle(connection);
      if (this.#stop.signal.aborted) this.#letGo();
      return connection;
    } catch (thrown) {
      this.#dialect = undefined;
      this.#failed(thrown as UpstreamError, this.#failures + 1);
      throw thrown;
    } finally {
      this.#starting = undefined;
    }
  }

  #enter(state: UpstreamState["state"]): void {
    this.#state = state;
    this.#since = Date.now();
  }

  #failed(error: UpstreamError, failures: number): void {
    this.#failures = failures;
    this.#retryAt = Date.now() + backoff(this.#failures);
    this.#lastError = error;
    this.#enter("failed");
  }

  /** The server went, or what was let go has gone. */
  #ended(connection: Connection): void {
    this.#track(connection.close());
    if (connection !== this.#connection) return;
    clearTimeout(this.#idleTimer);
    this.#connection = undefined;
    // One that ended before it was of any use counts as a start that failed.
    this.#failed(connection.endFailure(), connection.hasAnswered ? 0 : this.#failures + 1);
  }

  #letGo(): void {
    clearTimeout(this.#idleTimer);
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#connection = undefined;
    this.#failures = 0;
    this.#enter("idle");
    this.#track(connection.close());
  }

  #watchIdle(connection: Connection): void {
    const { idleMs, listedOnlyMs } = this.#options;
    const left = (connection.wasCalled ? idleMs : Math.min(idleMs, listedOnlyMs)) - connection.idleFor;
    if (left <= 0) return this.#letGo();
    this.#idleTimer = setTimeout(() => this.#watchIdle(connection), left).unref();
  }

  #track(closed: Promise<void>): void {
    this.#closing.add(closed);
    void closed.finally(() => this.#closing.delete(closed));
  }
}
