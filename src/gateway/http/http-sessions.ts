import { randomUUID } from "node:crypto";
import { isInitializeRequest, type Server } from "@modelcontextprotocol/server";
import { HttpSessionTransport } from "./http-session-transport.ts";
import { refusal } from "./message.ts";
import { createReplay } from "./replay.ts";

interface Session {
  readonly transport: HttpSessionTransport;
  /** Requests and streams that are open. */
  open: number;
  lastUsed: number;
}

export interface HttpSessions {
  /** Answers a request of a client of 2025-11-25 or before; `over` settles when it is over. */
  serve(request: Request, body: unknown, over: Promise<unknown>): Promise<Response>;
  readonly count: number;
  close(): Promise<void>;
}

export interface HttpSessionOptions {
  /** The server of one client; `id` tells it from others. */
  createServer(id: string): Server;
  onError(error: Error): void;
  /** A session that has nothing open ends after this long. */
  readonly idleMs: number;
  readonly most: number;
}

/** Clients before 2026-07-28 have a session each: a server of its own, found by the id that the client sends along. */
export function createHttpSessions({ createServer, onError, idleMs, most }: HttpSessionOptions): HttpSessions {
  const sessions = new Map<string, Session>();
  const end = async (id: string): Promise<void> => {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.transport.close();
  };
  const idle = () => [...sessions].filter(([, { open }]) => open === 0);
  const expiry = setInterval(() => {
    for (const [id, { lastUsed }] of idle()) if (performance.now() - lastUsed > idleMs) void end(id);
  }, idleMs / 10).unref();

  /** Whether there is room for one more; the one that was quiet for longest makes room. */
  const makeRoom = (): boolean => {
    if (sessions.size < most) return true;
    const [oldest] = idle().sort(([, left], [, right]) => left.lastUsed - right.lastUsed);
    if (oldest) void end(oldest[0]);
    return oldest !== undefined;
  };
  const start = async (): Promise<Session> => {
    const id = randomUUID();
    const transport = new HttpSessionTransport({
      sessionIdGenerator: () => id,
      eventStore: createReplay(),
      onsessioninitialized: () => void sessions.set(id, session),
    });
    const session: Session = { transport, open: 0, lastUsed: performance.now() };
    const server = Object.assign(createServer(id), { onclose: () => sessions.delete(id), onerror: onError });
    await server.connect(transport);
    return session;
  };

  return {
    async serve(request, body, over) {
      const id = request.headers.get("mcp-session-id");
      const known = id === null ? undefined : sessions.get(id);
      if (!known && ![body].flat().some(isInitializeRequest))
        return id === null ? refusal(400, sessionless) : refusal(404, sessionLost);
      if (!known && !makeRoom()) return refusal(503, tooMany(most), { "retry-after": "10" });
      const session = known ?? (await start());
      session.open++;
      void over.finally(() => {
        session.open--;
        session.lastUsed = performance.now();
      });
      const response = await session.transport.handleRequest(request, { parsedBody: body });
      // Refused before it became a session.
      if (session.transport.sessionId === undefined) await session.transport.close();
      return response;
    },
    get count() {
      return sessions.size;
    },
    async close() {
      clearInterval(expiry);
      await Promise.all([...sessions.keys()].map(end));
    },
  };
}

const sessionless = "The Mcp-Session-Id header is missing. Send initialize first; its answer has the id.";
const sessionLost = "The session is unknown: it has ended, or the server was restarted. Send initialize again.";
const tooMany = (most: number) => `${most} sessions are open, and none is idle. Try again later.`;
