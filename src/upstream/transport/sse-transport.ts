import { AsyncLocalStorage } from "node:async_hooks";
import { type JSONRPCMessage, SSEClientTransport, SseError } from "@modelcontextprotocol/client";
import type { RemoteServer } from "../../config/server.ts";
import type { Authorization } from "../oauth/authorization.ts";
import { answerPatienceMs, createAnswerLimit } from "./answer-limit.ts";
import type { QuietInit } from "./quiet-fetch.ts";
import { createServerFetch, HttpStatusError } from "./server-fetch.ts";
import type { ServerTransport } from "./server-transport.ts";

/** HTTP with SSE, of servers before 2025. Its one event stream carries every answer: when it breaks, all is lost. */
export class SseTransport extends SSEClientTransport implements ServerTransport {
  readonly host: string;
  end: string | undefined;
  failure: unknown;
  readonly #current = new AsyncLocalStorage<QuietInit>();
  readonly #answer = createAnswerLimit();

  constructor(server: RemoteServer, authorization: Authorization | undefined) {
    const url = new URL(server.url);
    const serverFetch = createServerFetch(authorization);
    super(url, {
      requestInit: { headers: { ...server.headers } },
      fetch: async (target, init) => {
        const isStream = init?.method !== "POST";
        const onTooLarge = isStream ? ({ message }: Error) => void this.#finish(`sent ${message}`) : undefined;
        try {
          const response = await serverFetch(target, { ...init, ...this.#current.getStore(), onTooLarge });
          if (response.status < 400) return response;
          throw new HttpStatusError(response.status, await response.text());
        } catch (thrown) {
          // A stream that fails is reported by the SDK without status or cause.
          if (isStream) this.failure = thrown;
          throw thrown;
        }
      },
    });
    this.host = url.host;
    // The SDK would connect again, to a session that knows nothing of this one.
    this.onerror = (error) => {
      if (error instanceof SseError) void this.#finish("lost its event stream");
    };
  }

  stderrTail(): string {
    return "";
  }

  override send(message: JSONRPCMessage): Promise<void> {
    if ("method" in message) return super.send(message);
    return this.#answer(() => this.#current.run({ patienceMs: answerPatienceMs }, () => super.send(message)));
  }

  override close(): Promise<void> {
    return this.#finish("was closed");
  }

  async #finish(words: string): Promise<void> {
    if (this.end !== undefined) return;
    this.end = words;
    await super.close();
  }
}
