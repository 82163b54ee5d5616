import { type JSONRPCMessage, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { RemoteServer } from "../config/server.ts";
import type { Authorization } from "./oauth/authorization.ts";
import { createServerFetch } from "./server-fetch.ts";
import type { ServerTransport } from "./server-transport.ts";

const farewellMs = 1000;

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

/** The stream that should have brought the answer ended without it. */
export class AnswerLostError extends Error {
  override readonly name = "AnswerLostError";
}

/** Streamable HTTP. A request whose stream breaks fails at once, where the SDK would wait for its timeout. */
export class StreamableTransport extends StreamableHTTPClientTransport implements ServerTransport {
  readonly host: string;
  end: string | undefined;

  constructor(server: RemoteServer, authorization: Authorization | undefined) {
    const url = new URL(server.url);
    super(url, {
      fetch: createServerFetch(authorization),
      requestInit: { headers: { ...server.headers } },
      reconnectionScheduler: (reconnect, delayMs) => {
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
    if (Array.isArray(message) || !("method" in message && "id" in message)) return super.send(message, options);
    return new Promise((_, reject) => {
      // At once would be too early: the SDK hands on an answer a few microtasks after it has read it.
      const onRequestStreamEnd = () => void setImmediate(reject, new AnswerLostError());
      super.send(message, { ...options, onRequestStreamEnd }).catch(reject);
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
