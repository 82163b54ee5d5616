import type { Caller, Notification } from "../actor.ts";
import type { ServerConfig } from "../config/server.ts";
import { longestTimerMs } from "../system/longest-timer.ts";
import { type PlaceInLine, Turns } from "../system/turns.ts";
import { waitFor } from "../system/wait-for.ts";
import { Breaker, type CallHealth, healthOf } from "./breaker.ts";
import type { Dialect, Vitals } from "./connect.ts";
import type { Connection, ServerInfo } from "./connection.ts";
import { personsMatters } from "./demand-start.ts";
import { type ListedItems, type ListName, listMethods, listPages } from "./list-pages.ts";
import { listTools, type ToolList } from "./list-tools.ts";
import { notSent } from "./not-sent.ts";
import type { Authorization } from "./oauth/authorization.ts";
import { createRedact, type Redact } from "./redact.ts";
import type { CallOptions, RawRequest, RequestOptions } from "./request-options.ts";
import { isStillThere } from "./still-there.ts";
import { UpstreamError } from "./upstream-error.ts";
import type { UpstreamState } from "./upstream-view.ts";

export interface UpstreamOptions {
  readonly version: string;
  readonly connectTimeoutMs: number;
  /** How long a call may take where neither the user nor the caller has said so, the start of its server included. */
  readonly callTimeoutMs: number;
  readonly idleMs: number;
  readonly listedOnlyMs: number;
  /** How long a server may take to say that it is there. It is asked after a timeout, or a cancel after so long. */
  readonly silenceMs: number;
  readonly authorization?: Authorization | undefined;
  /** Throws why it may not be started or reached. */
  mayStart?(): Promise<void>;
  /** It has said which tools it has. */
  onListed?(upstream: Upstream): void;
  /** The server tells something; `caller` is whom it tells that, where it was about a call. */
  onNotification(notification: Notification, caller: Caller | undefined): void;
  onFailed(error: UpstreamError): void;
}

type LifeState = "idle" | "starting" | "ready" | "failed";

interface Wait {
  readonly timeoutMs: number;
  /** How much of that time is gone already. */
  readonly elapsedMs?: number | undefined;
  readonly tool?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Send = (connection: Connection, how: RequestOptions) => Promise<unknown>;

/** A request that has its turn: what is to be told when it has ended. */
interface Flight {
  readonly place: PlaceInLine;
  readonly end: (health: CallHealth) => void;
}

type ServerTools = ToolList & { readonly info: ServerInfo };
/** As many as one run may have by default: a run alone does not wait. */
const mostParallelCalls = 128;

/**
 * One configured server: started by the first request, shared by all, closed when idle, started again by the next. It
 * has at most one process at a time.
 */
export class Upstream {
  /** Who may call now. */
  readonly turns: Turns;
  readonly #server: ServerConfig;
  readonly #options: UpstreamOptions;
  readonly #redact: Redact;
  readonly #breaker = new Breaker();
  readonly #stop = new AbortController();
  /** What is still being ended; nothing new is started before that is done. */
  readonly #closing = new Set<Promise<void>>();
  #state: LifeState = "idle";
  #since = Date.now();
  #connection: Connection | undefined;
  #starting: Promise<Connection> | undefined;
  #dialect: Dialect | undefined;
  #vitals: Vitals | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #lastError: UpstreamError | undefined;
  #strayAnswers = 0;
  /** Of any kind, also to calls that nobody waits for any more. */
  #answers = 0;
  #examined: Connection | undefined;
  #uses = 0;
  #onUnused: (() => void) | undefined;

  constructor(server: ServerConfig, options: UpstreamOptions) {
    this.#server = server;
    this.#options = options;
    this.#redact = createRedact(server, () => options.authorization?.secrets ?? []);
    this.turns = new Turns({ most: server.limits?.maxParallelCalls ?? mostParallelCalls });
  }

  get state(): UpstreamState {
    const { pid, skippedLines = 0 } = this.#vitals ?? {};
    const isLive = this.#state === "ready" || this.#state === "starting";
    const stderrTail = this.#redact(this.#vitals?.stderrTail() ?? "");
    const { restMs } = this.#breaker;
    const isResting = restMs > 0 && this.#state !== "starting";
    const needsSignIn = this.#state !== "starting" && this.#lastError?.code === "sign_in_needed";
    return {
      state: needsSignIn ? "sign_in_needed" : isResting ? "resting" : this.#state,
      since: this.#since,
      skippedLines,
      strayAnswers: this.#strayAnswers,
      waiting: this.turns.waiting,
      ...(this.turns.isExclusive && { asks: true }),
      ...(isLive && pid !== undefined && { pid }),
      ...(this.#lastError && { lastError: this.#lastError.message, lastCode: this.#lastError.code }),
      ...(stderrTail !== "" && { stderrTail }),
      ...(restMs > 0 && { retryAt: Date.now() + restMs }),
    };
  }

  /** The server's own result, untouched; one with `isError: true` is a result too. */
  call(tool: string, args: Record<string, unknown>, options: CallOptions = {}): Promise<unknown> {
    const { argsText } = options;
    return this.#send((connection, how) => connection.call(tool, args, argsText, how), { tool }, options);
  }

  request({ method, params, tool, what }: RawRequest, options: CallOptions = {}): Promise<unknown> {
    return this.#send((connection, how) => connection.request(method, params, how), { tool, what }, options);
  }

  async list({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<ServerTools> {
    const timeoutMs = this.#options.callTimeoutMs;
    this.#refuseCancelled(signal);
    const connection = await this.open({ timeoutMs, signal });
    const list = await listTools(this.#server.name, connection, { timeoutMs, signal });
    this.#options.onListed?.(this);
    return { ...list, info: connection.info };
  }

  /** Every page of what else it lists; nothing where the server has not declared it, or does not know the method after all. */
  async listAll(name: ListName, options: CallOptions = {}): Promise<ListedItems> {
    const timeoutMs = this.#timeout(options);
    this.#refuseCancelled(options.signal);
    const { capabilities } = await this.open({ timeoutMs, signal: options.signal });
    // Some servers answer nothing at all to a method that they do not know.
    if (capabilities[name === "prompts" ? "prompts" : "resources"] === undefined) return { items: [] };
    const what = `list the ${name === "resourceTemplates" ? "resource templates" : name}`;
    return listPages(this.#server.name, name, what, (params, elapsedMs) =>
      this.request({ method: listMethods[name], params, what }, { ...options, timeoutMs: timeoutMs - elapsedMs }),
    );
  }

  /** A connection that is ready; starts the server if there is none. Nothing is sent: to fail here is `not_sent`. */
  async open({ timeoutMs, elapsedMs = 0, tool, signal }: Wait): Promise<Connection> {
    const { ready } = this;
    if (ready !== undefined) return ready;
    this.#connection?.retire();
    this.#connection = undefined;
    if (this.#stop.signal.aborted)
      throw notSent(this.#server.name, "server_closed", "the coordinator is closing", tool);
    // The one call that finds out whether it is well again may start it.
    if (this.#starting === undefined) this.#refuseResting(tool, this.#breaker.restMs);
    this.#starting ??= this.#start();
    const outcome = await waitFor(this.#starting, timeoutMs - elapsedMs, signal).catch((thrown: UpstreamError) => {
      const { code, message, hint, cause, retryAfterMs, server } = thrown;
      throw new UpstreamError(code, message, { server, tool, delivery: "not_sent", hint, cause, retryAfterMs });
    });
    if (outcome === "cancelled")
      throw notSent(this.#server.name, "call_cancelled", "it was cancelled while the server started", tool);
    if (outcome === "late")
      throw notSent(this.#server.name, "call_timeout", `it was not ready within ${timeoutMs / 1000} s`, tool);
    return outcome.value;
  }

  /** Lets go of a server of which nothing but its tools was wanted; the next request starts it again. */
  letGoUnlessUsed(): void {
    const connection = this.#connection;
    if (connection !== undefined && !connection.wasCalled && connection.idleFor > 0) this.#letGo();
  }

  /** Ends it when the requests that it has are done. It cannot be used again. */
  async retire(): Promise<void> {
    if (this.#uses > 0) await new Promise<void>((resolve) => (this.#onUnused = resolve));
    await this.close();
  }

  /** Ends it within 4 s, even while it is starting. It cannot be used again. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#letGo();
    // Told to stop, a start fails at once and leaves what it has started among what is being ended.
    await this.#starting?.catch(() => {});
    await Promise.all(this.#closing);
  }

  /** The connection, when there is one to use at once. */
  get ready(): Connection | undefined {
    return this.#connection?.isSpent ? undefined : this.#connection;
  }

  /** Sends a request once, when it is its turn and the server is not resting; the wait is part of its time. */
  #send(send: Send, { tool, what }: Pick<RawRequest, "tool" | "what">, options: CallOptions): Promise<unknown> {
    const { signal, turn, caller, onProgress } = options;
    const how = { timeoutMs: this.#timeout(options), elapsedMs: 0, tool, what, caller, signal, onProgress };
    try {
      this.#refuseCancelled(signal, tool);
      this.#refuseResting(tool);
      const place = this.#enterLine(turn ?? caller?.id ?? "", tool);
      this.#uses++;
      const { ready } = this;
      // Nothing is awaited where nothing needs to be: every layer of promises costs as much as a gate.
      if (place.turn !== undefined || ready === undefined) return this.#sendLater(send, how, place);
      return this.#use(ready, send, how, { place, end: this.#breaker.begin() });
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  }

  #enterLine(caller: string, tool: string | undefined): PlaceInLine {
    const place = this.turns.enter(caller);
    if (place !== undefined) return place;
    const why = `${this.turns.waiting} calls are waiting for it already`;
    throw notSent(this.#server.name, "server_busy", why, tool, { hint: "Call again when some of them have ended." });
  }

  async #sendLater(send: Send, how: RequestOptions, place: PlaceInLine): Promise<unknown> {
    const began = performance.now();
    const { timeoutMs, tool, signal } = how;
    let end: Flight["end"] = () => {};
    let connection: Connection;
    try {
      if (place.turn !== undefined) {
        const outcome = await waitFor(place.turn, timeoutMs, signal);
        if (outcome === "cancelled")
          throw notSent(this.#server.name, "call_cancelled", "it was cancelled while it waited", tool);
        if (outcome === "late")
          throw notSent(this.#server.name, "call_timeout", `it was busy for ${timeoutMs / 1000} s`, tool);
        this.#refuseResting(tool);
      }
      end = this.#breaker.begin();
      connection = await this.open({ ...how, elapsedMs: performance.now() - began });
    } catch (thrown) {
      end("neither"); // that a start failed has been counted
      this.#leave(place);
      throw thrown;
    }
    return this.#use(connection, send, { ...how, elapsedMs: performance.now() - began }, { place, end });
  }

  #use(connection: Connection, send: Send, how: RequestOptions, { place, end }: Flight): Promise<unknown> {
    const sent = performance.now();
    return send(connection, how).then(
      (result) => {
        end("well");
        this.#answers++;
        this.#lastError = undefined;
        this.#leave(place);
        return result;
      },
      (thrown: unknown) => {
        const error = thrown instanceof UpstreamError ? thrown : undefined;
        end(error === undefined || this.#stop.signal.aborted ? "neither" : healthOf(error));
        if (error) this.#learn(error, connection, performance.now() - sent);
        this.#leave(place);
        throw thrown;
      },
    );
  }

  #leave(place: PlaceInLine): void {
    place.leave();
    this.#uses--;
    if (this.#uses === 0) this.#onUnused?.();
  }

  #learn(error: UpstreamError, connection: Connection, silentMs: number): void {
    const { code, retryAfterMs, delivery } = error;
    if (delivery === "failed") this.#answers++;
    if (healthOf(error) === "ill" || code === "sign_in_needed") this.#lastError = error;
    if (retryAfterMs !== undefined) this.#breaker.rest(retryAfterMs);
    const isSilent = code === "call_cancelled" && silentMs >= this.#options.silenceMs;
    if (isSilent || code === "call_timeout") void this.#examine(connection);
  }

  /** One that is silent for good is ended, for the next call to start. */
  async #examine(connection: Connection): Promise<void> {
    if (this.#examined === connection || connection.isSpent) return;
    this.#examined = connection;
    const { silenceMs } = this.#options;
    const isThere = await isStillThere(connection, silenceMs, () => this.#answers);
    this.#examined = undefined;
    if (!isThere) connection.giveUp(`answered no call, and no ping within ${silenceMs / 1000} s, and was ended`);
  }

  async #start(): Promise<Connection> {
    this.#enter("starting");
    try {
      await this.#options.mayStart?.();
      await Promise.all(this.#closing);
      // Here and not above: the SDK takes longer to load than everything else that our start needs.
      const { connect } = await import("./connect.ts");
      const { connection, dialect } = await connect(this.#server, {
        ...this.#options,
        timeoutMs: this.#server.limits?.startTimeoutMs ?? this.#options.connectTimeoutMs,
        signal: this.#stop.signal,
        dialect: this.#dialect,
        onVitals: (vitals) => {
          this.#vitals = vitals;
        },
        onAmbiguousQuestion: () => {
          this.turns.isExclusive = true;
        },
        onStrayAnswer: () => {
          this.#strayAnswers++;
          this.#answers++;
        },
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
      const error = thrown as UpstreamError;
      // Whoever has signed in, or accepted it, meanwhile is served at once.
      if (!personsMatters.has(error.code)) this.#breaker.startFailed();
      if (error.retryAfterMs !== undefined) this.#breaker.rest(error.retryAfterMs);
      this.#failed(error);
      throw thrown;
    } finally {
      this.#starting = undefined;
    }
  }

  #enter(state: LifeState): void {
    this.#state = state;
    this.#since = Date.now();
  }

  #failed(error: UpstreamError): void {
    this.#lastError = error;
    this.#enter("failed");
    if (!this.#stop.signal.aborted) this.#options.onFailed(error);
  }

  /** The server went, or what was let go has gone. */
  #ended(connection: Connection): void {
    this.#track(connection.close());
    if (connection !== this.#connection) return;
    clearTimeout(this.#idleTimer);
    this.#connection = undefined;
    // One that ended before it was of any use counts as a start that failed.
    if (connection.hasAnswered) this.#breaker.startWorked();
    else this.#breaker.startFailed();
    this.#failed(connection.endFailure());
  }

  #letGo(): void {
    clearTimeout(this.#idleTimer);
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#connection = undefined;
    this.#breaker.startWorked();
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

  #timeout({ timeoutMs }: CallOptions): number {
    const usual = this.#server.limits?.timeoutMs ?? this.#options.callTimeoutMs;
    return Math.min(timeoutMs ?? usual, longestTimerMs);
  }

  #refuseCancelled(signal: AbortSignal | undefined, tool?: string): void {
    if (signal?.aborted) throw notSent(this.#server.name, "call_cancelled", "the call was cancelled before", tool);
  }

  #refuseResting(tool: string | undefined, refusedMs = this.#breaker.refusedMs): void {
    const { restMs, failures } = this.#breaker;
    if (refusedMs <= 0) return;
    const reason = failures > 0 ? `it failed ${failures} times in a row` : "it asked to be left alone";
    const rest = restMs > 0 ? `is tried again in ${(restMs / 1000).toFixed(1)} s` : "another call is trying it now";
    const last = this.#lastError === undefined ? "" : `. The last failure: ${this.#lastError.message}`;
    const more = { hint: this.#lastError?.hint, retryAfterMs: Math.ceil(refusedMs) };
    throw notSent(this.#server.name, "server_resting", `${reason} and ${rest}${last}`, tool, more);
  }
}
