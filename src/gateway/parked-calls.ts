import { createHash, randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ProtocolError, ProtocolErrorCode, type Result, type ServerContext } from "@modelcontextprotocol/server";
import type { Caller, Notification } from "../actor.ts";
import type { ApprovalStore, AskedQuestion } from "../approvals/approval-store.ts";
import { sortedJson } from "../catalog/sorted-json.ts";
import { CoordinatorError } from "../errors.ts";
import { withPatience } from "../upstream/caller.ts";
import { type ClientRequest, type Leg, reaches, tellAbout, type Work } from "./client-request.ts";
import { takeLateAnswers, withNotices } from "./late-answers.ts";
import type { ParkedCallStore } from "./parked-call-store.ts";
import type { Params } from "./raw-server.ts";

/** Longer than a client has for an answer: one that comes late still learns what became of its call. */
const keptMs = 10 * 60_000;

interface Question {
  /** As the client gets it. */
  readonly asked: { readonly method: string; readonly params?: Params | undefined };
  readonly approvals: readonly string[];
  readonly answer: (response: unknown) => void;
  readonly refuse: (reason: unknown) => void;
}

/**
 * Calls that go on while their client has no request open: what a server asks meanwhile ends the client's request, and
 * the next one, with the answers and the state that it was given, goes on from there. A state is good for one request,
 * the same as the first; nothing is done twice.
 */
export interface ParkedCalls {
  /** The work's result, or the questions that have come up and the state to bring the answers with. */
  serve(leg: Leg, work: Work): Promise<Result>;
  /** How many wait. */
  size(): Promise<number>;
  /** Gives up those that wait. */
  close(): Promise<void>;
}

export interface ParkedCallOptions {
  readonly store: ParkedCallStore;
  /** Where questions about approvals are kept, which outlive the calls. */
  readonly questions?: Pick<ApprovalStore, "keepQuestion" | "takeQuestion" | "get" | "decide"> | undefined;
  /** What answers a client whose call does not wait here any more: it takes the answers, too. */
  readonly resume?: ((question: AskedQuestion, answers: Params) => Work) | undefined;
  readonly patienceMs?: number | undefined;
}

export function createParkedCalls({ store, questions, resume, patienceMs = keptMs }: ParkedCallOptions): ParkedCalls {
  /** The calls themselves: they live in this process, no matter who else sees the store. */
  const waiting = new Map<string, { readonly call: Call; readonly expiry: NodeJS.Timeout }>();

  /** The state to come back with; undefined when there is no room. */
  const park = async (call: Call): Promise<string | undefined> => {
    const state = randomBytes(32).toString("base64url");
    const { fingerprint } = call;
    if (!(await store.park(state, { fingerprint, characters: call.characters() }))) return undefined;
    const approvals = call.approvals();
    const [one] = Object.values(approvals).flat();
    const first = one === undefined ? undefined : await questions?.get(one);
    if (first) await questions?.keepQuestion(state, { ...first, fingerprint, approvals });
    waiting.set(state, { call, expiry: setTimeout(() => void giveUp(state), patienceMs).unref() });
    return state;
  };
  const take = async (state: string, fingerprint?: string): Promise<Call | undefined> => {
    const found = waiting.get(state);
    if (!found || !(await store.take(state, fingerprint ?? found.call.fingerprint))) return undefined;
    clearTimeout(found.expiry);
    waiting.delete(state);
    return found.call;
  };
  const giveUp = async (state: string): Promise<void> => (await take(state))?.giveUp();

  const callOf = async (state: string | undefined, leg: Leg, work: Work): Promise<Call> => {
    const fingerprint = fingerprintOf(leg);
    if (state === undefined) return new Call(fingerprint, leg, work);
    const [call, question] = await Promise.all([take(state, fingerprint), questions?.takeQuestion(state, fingerprint)]);
    if (call) return call;
    if (question && resume)
      return new Call(fingerprint, leg, resume(question, leg.context.mcpReq.inputResponses ?? {}));
    throw unknownState();
  };

  return {
    async serve(leg, work) {
      const state = leg.context.mcpReq.requestState<unknown>();
      if (state !== undefined && typeof state !== "string") throw unknownState();
      const call = await callOf(state, leg, work);
      const late = call.answer(leg);
      if (questions)
        call.told.push(...(await takeLateAnswers(late, leg.context.mcpReq.inputResponses ?? {}, questions)));
      for (;;) {
        const result = await call.goOn(leg);
        if (result) return withNotices(result, call.told);
        const inputRequests = call.asked();
        const requestState = await park(call);
        if (requestState !== undefined) return { resultType: "input_required", inputRequests, requestState };
        call.refuseAll(tooMany(await store.size()));
      }
    },
    size: () => store.size(),
    async close() {
      await Promise.all([...waiting.keys()].map(giveUp));
    },
  };
}

/** One call, from its first request to its result. */
class Call {
  readonly fingerprint: string;
  /** What its client is to be told with the result. */
  readonly told: string[] = [];
  readonly #questions = new Map<string, Question>();
  /** Questions about approvals that nobody waits for any more, by their keys: the client may have them, and answer. */
  readonly #over = new Map<string, readonly string[]>();
  readonly #keys = new Set<string>();
  readonly #stop = new AbortController();
  readonly #result: Promise<Result>;
  readonly #first: Leg;
  #leg: Leg;
  #onQuestion: () => void = () => {};
  #isServed = true;

  constructor(fingerprint: string, leg: Leg, work: Work) {
    this.fingerprint = fingerprint;
    this.#first = leg;
    this.#leg = leg;
    this.#result = work(this.#request());
    this.#result.catch(() => {}); // the client may never come back for it
  }

  /** Takes what one more request brings. Gives what was asked about approvals and is answered when nobody waits for it here. */
  answer({ context: { mcpReq } }: Leg): AskedQuestion["approvals"] {
    const responses = Object.entries(mcpReq.inputResponses ?? {});
    const late = responses.flatMap(([key]) => {
      const about = this.#over.get(key);
      return about && this.#over.delete(key) ? [[key, about] as const] : [];
    });
    // What nobody has asked for is not kept: the client is asked when it is wanted.
    for (const [key, response] of responses) this.#questions.get(key)?.answer(response);
    return Object.fromEntries(late);
  }

  /** Serves one more request: waits for the result or for more questions. */
  async goOn(leg: Leg): Promise<Result | undefined> {
    const { mcpReq } = leg.context;
    this.#leg = leg;
    this.#isServed = true;
    if (mcpReq.signal.aborted) this.stop();
    mcpReq.signal.addEventListener("abort", this.stop, { once: true });
    try {
      for (;;) {
        const result = await Promise.race([this.#result, this.#question()]);
        if (result) return result;
        // Questions that belong together come together.
        await nextTurn();
        if (this.#questions.size > 0) return undefined;
      }
    } finally {
      mcpReq.signal.removeEventListener("abort", this.stop);
      this.#isServed = false;
    }
  }

  #question(): Promise<undefined> {
    return new Promise((resolve) => {
      this.#onQuestion = () => resolve(undefined);
      if (this.#questions.size > 0) resolve(undefined);
    });
  }

  /** The open questions, as the client gets them. */
  asked(): Record<string, unknown> {
    return Object.fromEntries([...this.#questions].map(([key, { asked }]) => [key, asked]));
  }

  /** What the open questions want approved, by their keys. */
  approvals(): AskedQuestion["approvals"] {
    const about = [...this.#questions].filter(([_key, { approvals }]) => approvals.length > 0);
    return Object.fromEntries(about.map(([key, { approvals }]) => [key, approvals]));
  }

  /** Its client does not come back. What waits for a person's decision goes on without it; anything else ends. */
  giveUp(): void {
    const isHeld = this.#over.size > 0 || Object.keys(this.approvals()).length > 0;
    if (isHeld) this.refuseAll(left());
    else this.stop();
  }

  /** What is held of what the client has sent: the request that is worked on, and the newest one. */
  characters(): number {
    const held = [...new Set([this.#first, this.#leg])];
    return JSON.stringify(held.map(({ params, context }) => [params, context.mcpReq.inputResponses])).length;
  }

  refuseAll(reason: unknown): void {
    for (const { refuse } of [...this.#questions.values()]) refuse(reason);
  }

  readonly stop = (): void => {
    this.#stop.abort();
    this.refuseAll(left());
  };

  #request(): ClientRequest {
    const { method, params, client } = this.#first;
    const { id, isAnonymous } = client;
    const now = () => this.#leg.context;
    const notify = (notification: Notification): void => {
      // Log messages only where the request asks for them.
      if (this.#isServed && reaches(notification, logLevel(now()))) tellAbout(now(), notification);
    };
    const caller: Caller = {
      id,
      isAnonymous,
      isAskedAtEnd: true,
      get capabilities() {
        return clientCapabilities(now());
      },
      ask: (...question) => this.#ask(...question),
      notify,
    };
    return {
      method,
      params,
      client,
      signal: this.#stop.signal,
      caller: withPatience(caller),
      notify,
      get logLevel() {
        return logLevel(now());
      },
      get progressToken() {
        return now().mcpReq._meta?.progressToken;
      },
    };
  }

  #ask(...[method, params, { signal, key = method.replace(/\/.*/, ""), approvals = [] }]: Parameters<Caller["ask"]>) {
    const free = this.#freeKey(key);
    return new Promise<unknown>((resolve, reject) => {
      const over = () => {
        this.#questions.delete(free);
        if (approvals.length > 0) this.#over.set(free, approvals);
        signal.removeEventListener("abort", cancel);
      };
      const refuse = (reason: unknown) => {
        over();
        reject(reason);
      };
      const cancel = () => refuse(signal.reason);
      const answer = (response: unknown) => {
        over();
        this.#over.delete(free);
        resolve(response);
      };
      if (signal.aborted) return cancel();
      signal.addEventListener("abort", cancel, { once: true });
      this.#questions.set(free, {
        asked: { method, ...(params && { params: withoutPageId(params) }) },
        approvals,
        answer,
        refuse,
      });
      this.#onQuestion();
    });
  }

  /** Never the key of an earlier one: an answer to that may still come. */
  #freeKey(wanted: string): string {
    for (let count = 1; ; count++) {
      const key = count === 1 ? wanted : `${wanted}_${count}`;
      if (this.#keys.has(key)) continue;
      this.#keys.add(key);
      return key;
    }
  }
}

/** Who sends a request and everything that it asks for, without what differs from one request of a call to the next. */
function fingerprintOf({ method, params, context }: Leg): string {
  const { _meta: _unused, ...asked } = params;
  const text = sortedJson([envelopeOf(context)["io.modelcontextprotocol/clientInfo"], method, asked]);
  return createHash("sha256").update(text).digest("hex");
}

function envelopeOf({ mcpReq: { envelope } }: ServerContext): Params {
  return (envelope ?? {}) as Params;
}

function logLevel(context: ServerContext): string | undefined {
  const level = envelopeOf(context)["io.modelcontextprotocol/logLevel"];
  return typeof level === "string" ? level : undefined;
}

function clientCapabilities(context: ServerContext): Params {
  return (envelopeOf(context)["io.modelcontextprotocol/clientCapabilities"] ?? {}) as Params;
}

/** These clients do not know ids of pages. */
function withoutPageId(params: Params): Params {
  const { elicitationId: _id, ...rest } = params;
  return rest;
}

function left(): CoordinatorError {
  return new CoordinatorError("call_cancelled", "The client left without an answer");
}

function tooMany(count: number): CoordinatorError {
  const message = `${count} calls already wait for answers from their clients, and there is room for no more`;
  return new CoordinatorError("call_failed", message, { hint: "Answer what was asked before, or try again later." });
}

function unknownState(): ProtocolError {
  const message =
    "The requestState is unknown: it was used before, has expired, or belongs to another request. Nothing was done now; to start over, send the request without it.";
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
