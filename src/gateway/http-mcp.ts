import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { createMcpHandler, isJsonContentType, isLegacyRequest, type ServerEvent } from "@modelcontextprotocol/server";
import type { Coordinator } from "../operations/coordinator.ts";
import { exceeds } from "../system/json-bounds.ts";
import { listChanges, type Notice } from "./exposed-notices.ts";
import { createGateway, type GatewayOptions } from "./gateway.ts";
import { createHeldBytes, type HeldBytes, small } from "./held-bytes.ts";
import type { Arrival } from "./http-listener.ts";
import { hangUp, readBody, refusal, toRequest } from "./http-message.ts";
import { createHttpSessions } from "./http-sessions.ts";
import { messageBounds, saysTooMuch, tooInvolved, tooMuchOfClient } from "./message-bounds.ts";

const megabyte = 1024 * 1024;
const mostBodyBytes = 4 * megabyte;
/** Of bodies that have not come to their end. */
const mostUnfinished = 64 * megabyte;
const mostSessions = 1000;
const sessionIdleMs = 60 * 60_000;

interface McpEndpoint {
  /** Answers a request that was let in. */
  handle(arrival: Arrival): Promise<Response>;
  /** Refuses new requests, and resolves when those under way are over or the time is. */
  drain(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

/** The protocol over HTTP: clients before 2026-07-28 in sessions, the others request by request. */
export function createMcpEndpoint(coordinator: Coordinator, options: GatewayOptions): McpEndpoint {
  const { exposed, onError } = options;
  const gateway = createGateway(coordinator, options);
  const modern = createMcpHandler(
    ({ authInfo }) => gateway.createServer({ id: authInfo?.clientId ?? "", isAnonymous: true }),
    { legacy: "reject", onerror: onError },
  );
  // Their servers live for one request: what changes is told on the streams that they keep open for it.
  exposed?.onNotice((notice) => {
    const event = changeEvent(notice);
    if (event) modern.bus.publish(event);
  });
  const sessions = createHttpSessions({
    createServer(id) {
      const server = gateway.createServer({ id });
      server.onOver(() => coordinator.services.sessions.endAll({ id }));
      return server;
    },
    onError,
    idleMs: sessionIdleMs,
    most: mostSessions,
  });
  const bodies = createHeldBytes({ most: mostUnfinished, small });
  const underWay = new Set<Promise<unknown>>();
  let isDraining = false;

  return {
    async handle({ incoming, connection, gone, over }) {
      if (isDraining) return refusal(503, "The server is ending. Connect again when it is back.", hangUp);
      const body = incoming.method === "POST" ? await readMessage(incoming, bodies) : undefined;
      if (body instanceof Response) return body;
      if (body !== undefined && !isSubscription(body)) {
        underWay.add(over);
        void over.then(() => underWay.delete(over));
      }
      const request = toRequest(incoming, gone);
      if (await isLegacyRequest(request, body)) return sessions.serve(request, body, over);
      // Clients of 2026-07-28 have no session: for turns the connection tells one from another, for nothing else.
      const authInfo = { token: "", clientId: connection.id, scopes: [] };
      return modern.fetch(request, { parsedBody: body, authInfo });
    },
    async drain(milliseconds) {
      isDraining = true;
      await Promise.race([Promise.all(underWay), delay(milliseconds, undefined, { ref: false })]);
    },
    async close() {
      await Promise.all([sessions.close(), modern.close(), gateway.close()]);
    },
  };
}

/** The message in a body, or why it is refused. */
async function readMessage(incoming: IncomingMessage, bodies: HeldBytes): Promise<unknown> {
  if (!isJsonContentType(incoming.headers["content-type"])) {
    return refusal(415, "The Content-Type must be application/json.");
  }
  const bytes = await readBody(incoming, mostBodyBytes, bodies);
  if (bytes === "too large") return tooLarge();
  if (bytes === "no room") return noRoom();
  if (exceeds(bytes, messageBounds)) return refusal(400, tooInvolved("The body"));
  const message = parse(bytes.toString("utf8"));
  if (message === undefined) return refusal(400, "The body is not JSON.");
  return saysTooMuch(message) ? refusal(400, tooMuchOfClient) : message;
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

/** What a notification of an exposed server is on those streams. */
function changeEvent({ method, params }: Notice): ServerEvent | undefined {
  const kind = listChanges.get(method);
  const uri = params?.["uri"];
  if (kind) return { kind };
  return method === "notifications/resources/updated" ? { kind: "resource_updated", uri: String(uri) } : undefined;
}
