import { AsyncLocalStorage } from "node:async_hooks";
import { type JSONRPCMessage, type RequestId, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { RemoteServer } from "../../config/server.ts";
import { waitFor } from "../../system/wait-for.ts";
import type { Authorization } from "../oauth/authorization.ts";
import { answerPatienceMs, createAnswerLimit } from "./answer-limit.ts";
import type { QuietInit } from "./quiet-fetch.ts";
import { createReopening, type Reopening } from "./reopening.ts";
import { createServerFetch } from "./server-fetch.ts";
import type { ServerTransport } from "./server-transport.ts";

const farewellMs = 1000;
/** It is sent back in a header. */
const longestEventId = 1024;
/** The longest wait before a stream that keeps ending is opened again: one for notices, and one for an answer. */
const longestNoticeWaitMs = 30_000;
const longestAnswerWaitMs = 1000;

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

/** The stream that should have brought the answer ended without it. */
export class AnswerLostError extends Error {
  override readonly name = "AnswerLostError";
}

/** A message that we sent, and the event streams that are opened for it. */
interface Sending {
  readonly init: QuietInit;
  readonly streams: Reopening;
  /** Set where a message tells the server that it is cancelled. */
  readonly id?: RequestId | undefined;
  /** Nobody waits for its answer any longer. */
  isOver: boolean;
}

/** Streamable HTTP. A request whose stream breaks fails at once, where the SDK would wait for its timeout. */
export class StreamableTransport extends StreamableHTTPClientTransport implements ServerTransport {
  readonly host: string;
  end: string | undefined;
  /** Set in all that is done for a message, opening its stream again included. */
  readonly #current = new AsyncLocalStorage<Sending>();
  /** Requests whose streams have ended before the answer came, by id. */
  readonly #resumed = new Map<unknown, Sending>();
  readonly #answer = createAnswerLimit();
  readonly #notices = sendingOf({}, longestNoticeWaitMs);

  constructor(server: RemoteServer, authorization: Authorization | undefined) {
    const url = new URL(server.url);
    const serverFetch = createServerFetch(authorization);
    super(url, {
      fetch: (target, init) => {
        const { init: own, streams } = this.#current.getStore() ?? this.#notices;
        if (init?.method !== "GET") return serverFetch(target, { ...init, ...own });
        streams.onOpen();
        return serverFetch(target, { ...init, ...own, headers: withoutLongId(init.headers) });
      },
      requestInit: { headers: { ...server.headers } },
      reconnectionScheduler: (reconnect, askedMs) => this.#reopenLater(reconnect, askedMs),
    });
    this.host = url.host;
  }

  stderrTail(): string {
    return "";
  }

  override send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    if (Array.isArray(message)) return super.send(message, options);
    if (!("method" in message)) {
      const answering = sendingOf({ patienceMs: answerPatienceMs });
      return this.#answer(() => this.#current.run(answering, () => super.send(message, options)));
    }
    if (!("id" in message)) {
      if (message.method === "notifications/cancelled") this.#forget(message.params?.["requestId"]);
      return this.#current.run(this.#notices, () => super.send(message, options));
    }
    const id = options?.requestSignal ? undefined : message.id;
    return new Promise((_, reject) => {
      const fail = (error: unknown): void => {
        sending.isOver = true;
        if (id !== undefined) this.#resumed.delete(id);
        reject(error);
      };
      const sending = { ...sendingOf({ onTooLarge: fail }), id };
      // At once would be too early: the SDK hands on an answer a few microtasks after it has read it.
      const onRequestStreamEnd = () => void setImmediate(fail, new AnswerLostError());
      this.#current.run(sending, () => super.send(message, { ...options, onRequestStreamEnd }).catch(fail));
    });
  }

  #reopenLater(reopen: () => void, askedMs: number): (() => void) | undefined {
    const sending = this.#current.getStore() ?? this.#notices;
    if (sending.isOver) return undefined;
    if (sending.id !== undefined) this.#resumed.set(sending.id, sending);
    const wait = sending.streams.delay(askedMs);
    const timer = setTimeout(() => sending.isOver || reopen(), wait).unref();
    return () => clearTimeout(timer);
  }

  #forget(id: unknown): void {
    const sending = this.#resumed.get(id);
    if (sending !== undefined) sending.isOver = true;
    this.#resumed.delete(id);
  }

  override async close(): Promise<void> {
    if (this.end !== undefined) return;
    this.end = "was closed";
    // A courtesy: the server would keep the session until it expires.
    if (this.sessionId !== undefined)
      await waitFor(
        this.terminateSession().catch(() => {}),
        farewellMs,
      );
    await super.close();
  }
}

function sendingOf(init: QuietInit, longestWaitMs = longestAnswerWaitMs): Sending {
  return { init, streams: createReopening(longestWaitMs), isOver: false };
}

function withoutLongId(init: RequestInit["headers"]): Headers {
  const headers = new Headers(init);
  if ((headers.get("last-event-id")?.length ?? 0) > longestEventId) headers.delete("last-event-id");
  return headers;
}
