import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";

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

/** The body, or undefined when there is more of it than that. */
export async function readBody(incoming: IncomingMessage, mostBytes: number): Promise<Buffer | undefined> {
  if (Number(incoming.headers["content-length"]) > mostBytes) return undefined;
  const parts: Buffer[] = [];
  let bytes = 0;
  // What is too much is still let in, to nowhere: a client that is hung up on while it sends reads no answer.
  for await (const part of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += part.byteLength;
    if (bytes > mostBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Sends an answer, a stream to its end. A client that goes away meanwhile ends the stream, and is no failure. */
export async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  if (outgoing.destroyed) return response.body?.cancel();
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (!response.body) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  await pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing).catch(() => {});
}

/** An answer that refuses, in the protocol's own form. */
export function refusal(status: number, message: string, headers: Record<string, string> = {}): Response {
  const error = { code: status === 404 ? -32001 : -32000, message };
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status, headers });
}
