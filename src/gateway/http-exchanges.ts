import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { isJsonContentType } from "@modelcontextprotocol/server";
import { exceeds } from "../json-bounds.ts";
import type { Access } from "./http-access.ts";
import { readBody, refusal, send, toRequest } from "./http-message.ts";
import { messageBounds, tooInvolved } from "./message-bounds.ts";

const mostBodyBytes = 4 * 1024 * 1024;

/** The work of answering a request that was let in; `over` settles when the answer has been read, or its client is gone. */
type Answer = (
  request: Request,
  body: unknown,
  exchange: { readonly socket: Socket; readonly over: Promise<unknown> },
) => Promise<Response>;

interface ExchangeOptions {
  readonly access: Access;
  onError(error: Error): void;
}

interface Exchanges {
  /** Answers a request; never throws. */
  serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>;
  /** Refuses new ones, and resolves when those under way are over or the time is. */
  drain(milliseconds: number): Promise<void>;
}

/** Requests and their answers, from the first byte to the last. */
export function createExchanges({ access, onError }: ExchangeOptions, answer: Answer): Exchanges {
  const underWay = new Set<Promise<unknown>>();
  let isDraining = false;

  const answerTo = async (incoming: IncomingMessage, gone: AbortSignal, over: Promise<unknown>): Promise<Response> => {
    const refused = access(incoming);
    if (refused) return refused;
    if (isDraining)
      return refusal(503, "The server is ending. Connect again when it is back.", { connection: "close" });
    const exchange = { socket: incoming.socket, over };
    if (incoming.method !== "POST") return answer(toRequest(incoming, gone), undefined, exchange);
    if (!isJsonContentType(incoming.headers["content-type"])) {
      return refusal(415, "The Content-Type must be application/json.");
    }
    const bytes = await readBody(incoming, mostBodyBytes);
    if (bytes === undefined) return tooLarge();
    if (exceeds(bytes, messageBounds)) return refusal(400, tooInvolved("The body"));
    const body = parse(bytes.toString("utf8"));
    if (body === undefined) return refusal(400, "The body is not JSON.");
    if (!isSubscription(body)) {
      underWay.add(over);
      void over.then(() => underWay.delete(over));
    }
    return answer(toRequest(incoming, gone), body, exchange);
  };

  return {
    async serve(incoming, outgoing) {
      const gone = new AbortController();
      const over = new Promise<void>((resolve) => outgoing.once("close", resolve)).then(() => gone.abort());
      const response = await answerTo(incoming, gone.signal, over).catch((thrown) => {
        if (!outgoing.destroyed) onError(thrown);
        return refusal(500, "The server could not answer, and its log says why. What was asked for may have happened.");
      });
      await send(response, outgoing);
    },
    async drain(milliseconds) {
      isDraining = true;
      await Promise.race([Promise.all(underWay), delay(milliseconds, undefined, { ref: false })]);
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A stream of notifications lasts for as long as its client wants: nothing waits for its end. */
function isSubscription(body: unknown): boolean {
  return (body as { method?: unknown } | null)?.method === "subscriptions/listen";
}

function tooLarge(): Response {
  const message = `The body has more than ${mostBodyBytes} bytes. Send less: large data belongs into the workspace or a server.`;
  return refusal(413, message);
}
