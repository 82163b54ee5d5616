import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import type { HeldBytes, Hold } from "./held-bytes.ts";

/** An answer is sent in pieces of this size, so that it can be seen whether its client reads. */
const pieceBytes = 64 * 1024;

/** A request as the SDK takes it. Its body is not in it: that is read here, and once. Nor is the token: nobody else needs it. */
export function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headersDistinct)) {
    for (const each of value ?? []) headers.append(name, each);
  }
  headers.delete("authorization");
  return new Request(new URL(incoming.url ?? "/", "http://localhost"), {
    method: incoming.method ?? "GET",
    headers,
    signal,
  });
}

type Body = Buffer | "too large" | "no room";

/** The body; or why there is none: there is more of it than that, or others needed the room. */
export function readBody(incoming: IncomingMessage, mostBytes: number, bodies: HeldBytes): Promise<Body> {
  if (Number(incoming.headers["content-length"]) > mostBytes) return Promise.resolve("too large");
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const end = (body: Body): void => {
      parts.length = 0;
      hold.release();
      // The rest is still read, and dropped: a client that is hung up on while it sends does not read the answer.
      incoming.off("data", take).resume();
      resolve(body);
    };
    const take = (part: Buffer): void => {
      bytes += part.byteLength;
      if (bytes > mostBytes) return end("too large");
      parts.push(part);
      hold.add(part.byteLength);
    };
    const hold = bodies.hold(() => end("no room"));
    incoming.on("data", take);
    incoming.once("end", () => end(Buffer.concat(parts)));
    incoming.once("error", reject);
    incoming.once("close", () => {
      hold.release();
      reject(new Error("The client left before its request was complete"));
    });
  });
}

/**
 * Sends an answer, a stream to its end. What its client has not read counts as held; one that reads nothing for long is hung
 * up on. A client that leaves meanwhile ends the stream, which is not a failure.
 */
export async function send(
  response: Response,
  outgoing: ServerResponse,
  unread: Hold,
  patienceMs = 120_000,
): Promise<void> {
  if (outgoing.destroyed) return response.body?.cancel();
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (!response.body) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  let left = 0;
  const count = (bytes: number) => {
    left += bytes;
    unread.add(bytes);
  };
  const made = response.body.pipeThrough(inPieces(count));
  // Read as soon as it is made: it is in memory anyway, and has to count. As objects, since bytes would be joined again.
  const waiting = Readable.fromWeb(made as ReadableStream, {
    objectMode: true,
    highWaterMark: Number.MAX_SAFE_INTEGER,
  });
  const read = async function* (pieces: AsyncIterable<Uint8Array>) {
    for await (const piece of pieces) {
      const patience = setTimeout(() => outgoing.socket?.destroy(), patienceMs).unref();
      try {
        yield piece;
      } finally {
        clearTimeout(patience);
      }
      count(-piece.byteLength);
    }
  };
  await pipeline(waiting, read, outgoing).catch(() => {});
  count(-left);
}

/** Copies: a piece that waits would keep the whole of what it was cut from. */
function inPieces(onMade: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      onMade(chunk.byteLength);
      for (let at = 0; at < chunk.byteLength; at += pieceBytes) controller.enqueue(chunk.slice(at, at + pieceBytes));
    },
  });
}

/** For callers who have not shown the token: connections are kept for those who have. */
export const hangUp = { connection: "close" };

/** An answer that refuses, in the protocol's own form. */
export function refusal(
  status: number,
  message: string,
  headers: Record<string, string> = {},
  code = status === 404 ? -32001 : -32000,
): Response {
  const error = { code, message };
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status, headers });
}
