import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { createMcpHandler, isJsonContentType, isLegacyRequest } from "@modelcontextprotocol/server";
import { local } from "../../actor.ts";
import { servicesOf } from "../../app/services-of.ts";
import { exceeds } from "../../system/json-bounds.ts";
import type { Gateway } from "../gateway.ts";
import { listChanges } from "../list-changes.ts";
import { messageBounds, messagesIn, saysTooMuch, tooInvolved, tooMuchOfClient } from "../message-bounds.ts";
import { createHeldBytes, type HeldBytes } from "./held-bytes.ts";
import { createHttpSessions } from "./http-sessions.ts";
import type { Arrival } from "./listener.ts";
import { hangUp, readBody, refusal, toRequest } from "./message.ts";

const mostBodyBytes = 4 * 1024 * 1024;
/** Of all bodies that are not whole yet. */
const mostUnfinished = 16 * mostBodyBytes;
const mostSessions = 1000;
const sessionIdleMs = 60 * 60_000;
const listen = "subscriptions/listen";

interface McpEndpoint {
  /** Answers a request that was let in. */
  handle(arrival: Arrival): Promise<Response>;
  /** Refuses new requests, and resolves when those under way are over, or the time is up. */
  drain(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

/** The protocol over HTTP: clients before 2026-07-28 in sessions, the others request by request. */
export function createMcpEndpoint(gateway: Gateway): McpEndpoint {
  const { coordinator, exposed, onError } = gateway;
  const modern = createMcpHandler(
    ({ authInfo }) => gateway.createServer({ id: authInfo?.clientId ?? "", isAnonymous: true }),
    { legacy: "reject", onerror: onError },
  );
  // Their servers live for one request: changes are told on the streams that these clients keep open.
  exposed?.onNotification(({ method, params }) => {
    const kind = listChanges.get(method);
    if (kind) modern.bus.publish({ kind });
    if (method === "notifications/resources/updated")
      modern.bus.publish({ kind: "resource_updated", uri: String(params?.["uri"]) });
  });
  gateway.onToolsChanged(() => modern.bus.publish({ kind: "tools_list_changed" }));
  const httpSessions = createHttpSessions({
    createServer(id) {
      const server = gateway.createServer({ id });
      server.onOver(() => servicesOf(coordinator).sessions.endAll({ ...local, id }));
      return server;
    },
    onError,
    idleMs: sessionIdleMs,
    most: mostSessions,
  });
  const bodies = createHeldBytes({ most: mostUnfinished });
  const underWay = new Set<Promise<unknown>>();
  let isDraining = false;

  return {
    async handle({ incoming, connection, gone, over }) {
      if (isDraining) return refusal(503, "The server is shutting down. Connect again when it is back.", hangUp);
      const body = incoming.method === "POST" ? await readMessage(incoming, bodies) : undefined;
      if (body instanceof Response) return body;
      // A stream of notifications lasts for as long as its client wants: nothing waits for its end.
      const isStream = body === undefined || messagesIn(body).every((message) => message?.method === listen);
      if (!isStream) {
        underWay.add(over);
        void over.then(() => underWay.delete(over));
      }
      const request = toRequest(incoming, gone);
      if (await isLegacyRequest(request, body)) return httpSessions.serve(request, body, over);
      // Clients of 2026-07-28 have no session: the connection tells them apart, for turns only.
      const authInfo = { token: "", clientId: connection.id, scopes: [] };
      return modern.fetch(request, { parsedBody: body, authInfo });
    },
    async drain(milliseconds) {
      isDraining = true;
      await Promise.race([Promise.all(underWay), delay(milliseconds, undefined, { ref: false })]);
    },
    async close() {
      await Promise.all([httpSessions.close(), modern.close()]);
    },
  };
}

/** The message in a body, or why it is refused. */
async function readMessage(incoming: IncomingMessage, bodies: HeldBytes): Promise<unknown> {
  if (!isJsonContentType(incoming.headers["content-type"])) {
    return refusal(415, "The Content-Type must be application/json.");
  }
  const bytes = await readBody(incoming, mostBodyBytes, bodies);
  if (bytes === "too large") return refusal(413, tooLarge);
  if (bytes === "no room") return refusal(503, noRoom, { "retry-after": "1" });
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

const noRoom =
  "Other clients are sending large requests too, and this one had made no progress for the longest time. Send it again.";
const tooLarge = `The body has more than ${mostBodyBytes} bytes. Send less: large data belongs in the workspace or on a server.`;
