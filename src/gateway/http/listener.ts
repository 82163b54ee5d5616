import type { IncomingMessage, RequestListener } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createHeldBytes, type Hold } from "./held-bytes.ts";
import { refusal, send } from "./message.ts";

const mostUnread = 128 * 1024 * 1024;
/** Unanswered requests of one connection. Clients send the next one when they have the answer. */
const mostWaiting = 100;

/** A request that has come in. */
export interface Arrival {
  readonly incoming: IncomingMessage;
  readonly connection: { readonly id: string };
  /** Aborted when its client is gone. */
  readonly gone: AbortSignal;
  /** Settles when the answer has been read, or its client is gone. */
  readonly over: Promise<void>;
}

interface Connection {
  readonly id: string;
  /** What it has not read of its answers. */
  readonly unread: Hold;
  /** When its next request is begun. */
  turn: Promise<unknown>;
  waiting: number;
}

/** Takes requests connection by connection, each in its turn, and sends their answers; never throws. */
export function createRequestListener(
  answer: (arrival: Arrival) => Promise<Response>,
  onError: (error: Error) => void,
): RequestListener {
  const unread = createHeldBytes({ most: mostUnread });
  const connections = new WeakMap<Socket, Connection>();
  let lastConnection = 0;

  const connectionOf = (socket: Socket): Connection => {
    const known = connections.get(socket);
    if (known) return known;
    const hold = unread.hold(() => socket.destroy());
    socket.once("close", hold.release);
    const connection = { id: `connection ${++lastConnection}`, unread: hold, turn: Promise.resolve(), waiting: 0 };
    connections.set(socket, connection);
    return connection;
  };

  return async (incoming, outgoing) => {
    const gone = new AbortController();
    const over = new Promise<void>((resolve) => outgoing.once("close", resolve)).then(() => gone.abort());
    const connection = connectionOf(incoming.socket);
    if (++connection.waiting > mostWaiting) return void incoming.socket.destroy();
    void over.then(() => connection.waiting--);
    // Others have their turn between requests that came at once.
    connection.turn = connection.turn.then(() => nextTurn());
    await connection.turn;
    const response = await answer({ incoming, connection, gone: gone.signal, over }).catch((thrown) => {
      if (!outgoing.destroyed) onError(thrown);
      return refusal(500, "The server could not answer; its log says why. The request may have taken effect.");
    });
    await send(response, outgoing, connection.unread);
  };
}
