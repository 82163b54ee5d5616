import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { isJsonContentType } from "@modelcontextprotocol/server";
import { exceeds } from "../system/json-bounds.ts";
import { createHeldBytes, type Hold } from "./held-bytes.ts";
import type { Access } from "./http-access.ts";
import { readBody, refusal, send, toRequest } from "./http-message.ts";
import { messageBounds, saysTooMuch, tooInvolved, tooMuchOfClient } from "./message-bounds.ts";

const megabyte = 1024 * 1024;
const mostBodyBytes = 4 * megabyte;
/** What is small is never in another's way: a thousand connections hold 64 MB of it. */
const small = 64 * 1024;
/** Of bodies that have not come to their end, and of answers that have not been read. */
const mostUnfinished = 64 * megabyte;
const mostUnread = 128 * megabyte;
/** Requests of one connection that are not answered yet. Clients send the next when they have the answer. */
const mostWaiting = 100;

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

interface Connection {
  /** What it has not read of its answers. */
  readonly unread: Hold;
  /** When its next request is begun. */
  turn: Promise<unknown>;
  waiting: number;
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
  const bodies = createHeldBytes({ most: mostUnfinished, small });
  const unread = createHeldBytes({ most: mostUnread, small });
  const connections = new WeakMap<Socket, Connection>();
  let isDraining = false;

  const connectionOf = (socket: Socket): Connection => {
    const known = connections.get(socket);
    if (known) return known;
    const hold = unread.hold(() => socket.destroy());
    socket.once("close", hold.release);
    const connection = { unread: hold, turn: Promise.resolve(), waiting: 0 };
    connections.set(socket, connection);
    return connection;
  };

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
    const bytes = await readBody(incoming, mostBodyBytes, bodies);
    if (bytes === "too large") return tooLarge();
    if (bytes === "no room") return noRoom();
    if (exceeds(bytes, messageBounds)) return refusal(400, tooInvolved("The body"));
    const body = parse(bytes.toString("utf8"));
    if (body === undefined) return refusal(400, "The body is not JSON.");
    if (saysTooMuch(body)) return refusal(400, tooMuchOfClient);
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
      const connection = connectionOf(incoming.socket);
      if (++connection.waiting > mostWaiting) return void incoming.socket.destroy();
      void over.then(() => connection.waiting--);
      // Others have their turn between requests that came at once.
      connection.turn = connection.turn.then(() => nextTurn());
      await connection.turn;
      const response = await answerTo(incoming, gone.signal, over).catch((thrown) => {
        if (!outgoing.destroyed) onError(thrown);
        return refusal(500, "The server could not answer, and its log says why. What was asked for may have happened.");
      });
      await send(response, outgoing, connection.unread);
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

function noRoom(): Response {
  const message = "Others send large requests too, and this one stood still for longest. Send it again.";
  return refusal(503, message, { "retry-after": "1" });
}

function tooLarge(): Response {
  const message = `The body has more than ${mostBodyBytes} bytes. Send less: large data belongs into the workspace or a server.`;
  return refusal(413, message);
}
