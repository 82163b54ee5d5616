import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";

/** Raw messages to a gateway. An answer is its text, however it came; none at all is an empty text. */
export interface Wire {
  ask(method: string, params?: string): Promise<string>;
  /** Sends a message whose id the caller has put there himself. */
  send(message: string, signal?: AbortSignal): Promise<string>;
  /** A new id, and the answer that will carry it. */
  nextId(): number;
  close(): void;
}

const initialize = JSON.stringify({
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "pressure", version: "1" },
});
const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

const messageOf = (id: number, method: string, params = "{}") =>
  `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${params}}`;

export async function openStdioWire(child: ChildProcess): Promise<Wire> {
  const waiting = new Map<number, (text: string) => void>();
  readLines(child, (line) => {
    const id = Number(/"id":(\d+)/.exec(line.slice(-40))?.[1] ?? /"id":(\d+)/.exec(line.slice(0, 60))?.[1]);
    waiting.get(id)?.(line);
    waiting.delete(id);
  });
  // One that has ended answers nothing more; whoever pings finds out.
  child.stdin?.on("error", () => {});
  let lastId = 0;
  const wire: Wire = {
    nextId: () => ++lastId,
    send(message, signal) {
      const id = lastIdIn(message);
      return new Promise((done) => {
        if (id !== undefined) waiting.set(id, done);
        signal?.addEventListener("abort", () => done(""));
        child.stdin?.write(`${message}\n`);
      });
    },
    ask(method, params) {
      return wire.send(messageOf(wire.nextId(), method, params));
    },
    close: () => child.stdin?.end(),
  };
  await wire.ask("initialize", initialize);
  child.stdin?.write(`${initialized}\n`);
  return wire;
}

/** The id with which our messages begin. */
function lastIdIn(message: string): number | undefined {
  const found = /^\{"jsonrpc":"2.0","id":(\d+),/.exec(message)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Lines without ever joining a long one twice. */
function readLines(child: ChildProcess, onLine: (line: string) => void): void {
  let parts: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      onLine(Buffer.concat([...parts, chunk.subarray(from, end)]).toString());
      parts = [];
      from = end + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  });
}

export async function openHttpWire(url: string, token: string): Promise<Wire> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let session: string | undefined;
  let lastId = 0;
  const wire: Wire = {
    nextId: () => ++lastId,
    send: (message, signal) => post(message, signal).catch((error: Error) => `failed: ${error.message}`),
    async ask(method, params) {
      return post(messageOf(wire.nextId(), method, params));
    },
    close: () => agent.destroy(),
  };
  const post = async (message: string, signal?: AbortSignal): Promise<string> => {
    const outgoing = request(url, {
      method: "POST",
      agent,
      ...(signal && { signal }),
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "content-length": Buffer.byteLength(message),
        ...(session !== undefined && { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" }),
      },
    });
    outgoing.on("error", () => {}); // one that comes after the response is told where that is read
    outgoing.end(message);
    const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
    session ??= incoming.headers["mcp-session-id"] as string | undefined;
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    return Buffer.concat(parts).toString();
  };
  await wire.ask("initialize", initialize);
  await wire.send(initialized);
  return wire;
}
