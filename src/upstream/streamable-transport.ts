import { AsyncLocalStorage } from "node:async_hooks";
import { type JSONRPCMessage, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { RemoteServer } from "../config/server.ts";
import type { Authorization } from "./oauth/authorization.ts";
import type { QuietInit } from "./quiet-fetch.ts";
import { createServerFetch } from "./server-fetch.ts";
import type { ServerTransport } from "./server-transport.ts";

const farewellMs = 1000;

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

/** The stream that should have brought the answer ended without it. */
export class AnswerLostError extends Error {
  override readonly name = "AnswerLostError";
}

/** A request whose answer may still come. */
interface OpenRequest {
  readonly init: QuietInit;
  /** No answer is waited for any longer. */
  isOver: boolean;
}

/** Streamable HTTP. A request whose stream breaks fails at once, where the SDK would wait for its timeout. */
export class StreamableTransport extends StreamableHTTPClientTransport implements ServerTransport {
  readonly host: string;
  end: string | undefined;
  /** Set in all that is done for a request, opening its stream again included. */
  readonly #current = new AsyncLocalStorage<OpenRequest | undefined>();

  constructor(server: RemoteServer, authorization: Authorization | undefined) {
    const url = new URL(server.url);
    const serverFetch = createServerFetch(authorization);
    super(url, {
      fetch: (target, init) => serverFetch(target, { ...init, ...this.#current.getStore()?.init }),
      requestInit: { headers: { ...server.headers } },
      reconnectionScheduler: (reconnect, delayMs) => {
        if (this.#current.getStore()?.isOver) return undefined;
        const timer = setTimeout(reconnect, delayMs).unref();
        return () => clearTimeout(timer);
      },
    });
    this.host = url.host;
  }

  stderrTail(): string {
    return "";
  }

  override send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    if (Array.isArray(message) || !("method" in message && "id" in message)) {
      return this.#current.run(undefined, () => super.send(message, options));
    }
    return new Promise((_, reject) => {
      const fail = (error: unknown): void => {
        request.isOver = true;
        reject(error);
      };
      const request: OpenRequest = { init: { onTooLarge: fail }, isOver: false };
      // At once would be too early: the SDK hands on an answer a few microtasks after it has read it.
      const onRequestStreamEnd = () => void setImmediate(fail, new AnswerLostError());
      this.#current.run(request, () => super.send(message, { ...options, onRequestStreamEnd }).catch(fail));
    });
  }

  override async close(): Promise<void> {
    if (this.end !== undefined) return;
    this.end = "was closed";
    if (this.sessionId !== undefined) await this.#endSession();
    await super.close();
  }

  /** A courtesy: the server would keep the session until it expires. */
  async #endSession(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, farewellMs);
    });
    await Promise.race([this.terminateSession().catch(() => {}), patience]);
    clearTimeout(timer);
  }
}
