import { AsyncLocalStorage } from "node:async_hooks";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import type { AskMethod, Caller, Notification } from "../actor.ts";
import { messageOf } from "../errors.ts";
import { type Fields, fieldsOf } from "../system/fields.ts";
import type { PausableTimers } from "../system/pausable-timers.ts";
import { waitFor } from "../system/wait-for.ts";
import { canAnswer, isForPerson } from "./caller.ts";
import { presentQuestion } from "./present-question.ts";

/** A server may ask so often during one call. */
export const mostQuestions = 10;
/** So many pages are remembered of which the server may still tell that the user is done with them. */
const mostPages = 100;
const askMethods: readonly AskMethod[] = ["elicitation/create", "sampling/createMessage", "roots/list"];

export interface Question {
  readonly method: string;
  readonly params?: Fields | undefined;
  /** The server's own name for it. */
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A request that is on its way to the server, and whom the server's questions about it go to. */
export interface OpenCall {
  /** What is being asked for, in words: `call "deploy"`. */
  readonly what: string;
  readonly caller: Caller | undefined;
  readonly timers: PausableTimers;
  /** Aborted when the call has ended; nobody is asked for it any longer. */
  readonly signal: AbortSignal;
  /** How often the server has asked. */
  asked: number;
  /** Why the client was not asked what the server wanted to know: the first few reasons. */
  readonly refusals: string[];
}

/** The questions of one server: which of the calls in flight each belongs to, and its client's answer. */
export class Questions {
  readonly #server: string;
  readonly #onAmbiguous: () => void;
  readonly #open = new Set<OpenCall>();
  /**
   * Set in all that is done for a call, reading the answers to its HTTP request included. Only where that tells more: once
   * there is one in use, every promise of the process costs more on Node 20.
   */
  readonly #current: AsyncLocalStorage<OpenCall> | undefined;
  /** Pages that users were asked to open, by the server's id of them: whom to tell when they are done. */
  readonly #pages = new Map<string, { readonly caller: Caller; readonly done: Resolvable }>();

  /** `onAmbiguous`: a question came that may have been of either of two clients. */
  constructor(server: string, onAmbiguous: () => void, { hasStreams = true } = {}) {
    this.#server = server;
    this.#onAmbiguous = onAmbiguous;
    this.#current = hasStreams ? new AsyncLocalStorage() : undefined;
  }

  /** From here on until its end, the server's questions may be about this call. */
  begin(call: OpenCall): void {
    this.#open.add(call);
  }

  end(call: OpenCall): void {
    this.#open.delete(call);
  }

  /** Does the work of a call. */
  async during<T>(call: OpenCall, work: () => Promise<T>): Promise<T> {
    this.begin(call);
    try {
      return await (this.#current ? this.#current.run(call, work) : work());
    } finally {
      this.end(call);
    }
  }

  /** The call that a message of the server belongs to, as far as that can be known. */
  get call(): OpenCall | undefined {
    const current = this.#current?.getStore();
    if (current && this.#open.has(current)) return current;
    const asked = [...this.#open].filter(({ caller }) => caller !== undefined);
    return new Set(asked.map(({ caller }) => caller?.id)).size === 1 ? asked.at(-1) : undefined;
  }

  /** Answers a question that came as a request of its own, as servers before 2026-07-28 ask. */
  answer(question: Question): Promise<unknown> {
    const { call } = this;
    if (call) return this.ask(call, question);
    askMethodOf(question);
    const isAmbiguous = [...this.#open].some(({ caller }) => caller !== undefined);
    if (isAmbiguous) this.#onAmbiguous();
    const why = isAmbiguous
      ? "calls of several clients are under way, and it does not say which of them it is about. From now on this server gets the calls of one client at a time: call again"
      : this.#open.size > 0
        ? "no client is behind the call that could be asked"
        : "no call is under way, so there is no client to ask";
    throw this.#refuse(question, why, isAmbiguous ? [...this.#open] : [...this.#open].slice(-1));
  }

  /** Asks the client behind a call. */
  async ask(call: OpenCall, question: Question): Promise<unknown> {
    const { params, key, signal } = question;
    const method = askMethodOf(question);
    const { caller, timers } = call;
    if (!caller) throw this.#refuse(question, "no client is behind the call that could be asked", [call]);
    if (!canAnswer(caller.capabilities, method, params)) {
      throw this.#refuse(question, "the client behind the call cannot answer that: it has not declared it", [call]);
    }
    if (++call.asked > mostQuestions) {
      throw this.#refuse(question, `it has asked ${mostQuestions} times during this call, the most allowed`, [call]);
    }
    const page = params?.["elicitationId"];
    if (typeof page === "string") this.#remember(page, caller);
    const options = { key, signal: signal ? AbortSignal.any([call.signal, signal]) : call.signal };
    try {
      const shown = presentQuestion(this.#server, method, withoutTokens(params));
      const answer = caller.ask(method, shown, options);
      return await (isForPerson(method) ? timers.pauseDuring(answer) : answer);
    } catch (thrown) {
      throw this.#refuse(question, messageOf(thrown), [call], rpcCodeOf(thrown));
    }
  }

  /** Resolves when the server says that the user is done with the page; after a while in any case. */
  async pageDone(page: string, patienceMs: number, signal: AbortSignal | undefined): Promise<void> {
    const done = this.#pages.get(page)?.done.promise;
    if (done) await waitFor(done, patienceMs, signal);
  }

  /** The server says that the user is done with a page. */
  onPageDone(notification: Notification): void {
    const page = this.#pages.get(String(notification.params?.["elicitationId"]));
    page?.caller.notify?.(notification);
    page?.done.resolve();
  }

  #remember(page: string, caller: Caller): void {
    const [oldest] = this.#pages.keys();
    if (this.#pages.size >= mostPages && oldest !== undefined) this.#pages.delete(oldest);
    const done = withResolvers();
    this.#pages.set(page, { caller, done });
  }

  #refuse(
    question: Question,
    why: string,
    calls: readonly OpenCall[],
    code: number = ProtocolErrorCode.InvalidRequest,
  ): ProtocolError {
    const during = calls.length === 1 ? ` during ${calls[0]?.what}` : "";
    const message = `Upstream ${JSON.stringify(this.#server)} ${wish(question)}${during}: ${why}`;
    for (const call of calls) if (call.refusals.length < mostQuestions) call.refusals.push(message);
    return new ProtocolError(code, message);
  }
}

/** Throws what the protocol has for a method that clients do not have. */
function askMethodOf({ method }: Question): AskMethod {
  const known = askMethods.find((one) => one === method);
  if (known) return known;
  throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
}

interface Resolvable {
  readonly promise: Promise<void>;
  resolve(): void;
}

function withResolvers(): Resolvable {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** The client's own code, such as -1 for a user who says no. */
function rpcCodeOf(thrown: unknown): number | undefined {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return typeof code === "number" && Number.isSafeInteger(code) ? code : undefined;
}

/** What the server wants, to follow its name. */
function wish({ method, params }: Question): string {
  if (method === "roots/list") return "asks for the client's roots (roots/list)";
  if (method === "sampling/createMessage") return "asks for an answer of the client's model (sampling/createMessage)";
  if (params?.["mode"] === "url") return "asks the user to open a page (elicitation/create)";
  return "asks the user for input (elicitation/create)";
}

/** Progress tokens and tasks are between two neighbours, and mean nothing to the next. */
function withoutTokens(params: Fields | undefined): Fields | undefined {
  if (!params) return undefined;
  const { _meta: meta, task: _task, ...rest } = params;
  const { progressToken: _token, ...kept } = fieldsOf(meta);
  return Object.keys(kept).length === 0 ? rest : { ...rest, _meta: kept };
}
