import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, BlockList, isIP, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { createMcpHandler, isJsonContentType, isLegacyRequest, type ServerEvent } from "@modelcontextprotocol/server";
import { CoordinatorError, messageOf, systemCode } from "../errors.ts";
import type { Coordinator } from "../operations/coordinator.ts";
import type { Notice } from "./exposed.ts";
import { type Access, createAccess, endpoint } from "./http-access.ts";
import { readBody, refusal, send, toRequest } from "./http-message.ts";
import { createHttpSessions } from "./http-sessions.ts";
import { type HttpToken, openToken } from "./http-token.ts";
import { createServer, type GatewayOptions } from "./server.ts";

export interface HttpOptions extends GatewayOptions {
  readonly host: string;
  readonly port: number;
}

export interface HttpGateway {
  /** Where clients on this machine find it. */
  readonly url: string;
  readonly isLoopback: boolean;
  readonly token: HttpToken;
  /** Takes no new requests, and gives those under way a moment. */
  drain(): Promise<void>;
  /** Ends what is left. */
  close(): Promise<void>;
}

const changeKinds: Readonly<Record<string, "tools_list_changed" | "prompts_list_changed" | "resources_list_changed">> =
  {
    "notifications/tools/list_changed": "tools_list_changed",
    "notifications/prompts/list_changed": "prompts_list_changed",
    "notifications/resources/list_changed": "resources_list_changed",
  };
const mostBodyBytes = 4 * 1024 * 1024;
const mostConnections = 1000;
const mostSessions = 1000;
const sessionIdleMs = 60 * 60_000;
/** How long a client may take to send its headers, and its whole request. */
const headersMs = 10_000;
const requestMs = 60_000;
/** How long a connection without a request is kept: longer than proxies keep theirs. */
const keptMs = 75_000;
const drainMs = 3000;
/** Answers that say that a run was cut are sent by then. */
const lastAnswersMs = 300;

/** Serves the coordinator to any number of AI clients over streamable HTTP. */
export async function serveOnHttp(coordinator: Coordinator, options: HttpOptions): Promise<HttpGateway> {
  const { host, port, onError } = options;
  const token = await openToken(coordinator.config.home);
  const access = createAccess({ host, names: coordinator.config.http.names, token });
  const modern = createMcpHandler(({ authInfo }) => createServer(coordinator, options, authInfo?.clientId ?? ""), {
    legacy: "reject",
    onerror: onError,
  });
  // Their servers live for one request: what changes is told on the streams that they keep open for it.
  options.exposed?.onNotice((notice) => {
    const event = changeEvent(notice);
    if (event) modern.bus.publish(event);
  });
  const sessions = createHttpSessions({
    createServer: (id) => createServer(coordinator, options, id),
    onError,
    idleMs: sessionIdleMs,
    most: mostSessions,
  });
  const connections = new WeakMap<Socket, string>();
  let lastConnection = 0;

  const exchanges = createExchanges(access, async (request, body, { socket, over }) => {
    if (await isLegacyRequest(request, body)) return sessions.serve(request, body, over);
    // Clients of 2026-07-28 have no session: the connection is what tells one from another.
    const clientId = connections.get(socket) ?? `connection ${++lastConnection}`;
    connections.set(socket, clientId);
    return modern.fetch(request, { parsedBody: body, authInfo: { token: "", clientId, scopes: [] } });
  });
  const http = createHttpServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keptMs,
      connectionsCheckingInterval: 5000,
    },
    (incoming, outgoing) => void exchanges.serve(incoming, outgoing).catch(onError),
  );
  http.maxConnections = mostConnections;
  await listen(http, host, port);
  return {
    ...whereIs(http.address() as AddressInfo),
    token,
    async drain() {
      http.close();
      await exchanges.drain(drainMs);
    },
    async close() {
      await exchanges.drain(lastAnswersMs);
      await Promise.all([sessions.close(), modern.close()]);
      http.closeAllConnections();
    },
  };
}

function whereIs({ address, port }: AddressInfo): Pick<HttpGateway, "url" | "isLoopback"> {
  const near = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;
  return {
    url: `http://${isIP(near) === 6 ? `[${near}]` : near}:${port}${endpoint}`,
    isLoopback: loopback.check(address, isIP(address) === 6 ? "ipv6" : "ipv4"),
  };
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");

type Answer = (
  request: Request,
  body: unknown,
  exchange: { readonly socket: Socket; readonly over: Promise<unknown> },
) => Promise<Response>;

/** Requests and their answers, from the first byte to the last. */
function createExchanges(access: Access, answer: Answer) {
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
    const text = await readBody(incoming, mostBodyBytes);
    if (text === undefined) return tooLarge();
    const body = parse(text);
    if (body === undefined) return refusal(400, "The body is no JSON.");
    if (!isSubscription(body)) {
      underWay.add(over);
      void over.then(() => underWay.delete(over));
    }
    return answer(toRequest(incoming, gone), body, exchange);
  };

  return {
    async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
      const gone = new AbortController();
      const over = once(outgoing, "close").then(() => gone.abort());
      const response = await answerTo(incoming, gone.signal, over).catch((thrown) =>
        outgoing.destroyed ? undefined : Promise.reject(thrown),
      );
      if (response) await send(response, outgoing);
    },
    /** Refuses new ones, and resolves when those under way are over or the time is. */
    async drain(milliseconds: number): Promise<void> {
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

/** What a notification of an exposed server is on those streams. */
function changeEvent({ method, params }: Notice): ServerEvent | undefined {
  const kind = changeKinds[method];
  const uri = params?.["uri"];
  if (kind) return { kind };
  return method === "notifications/resources/updated" ? { kind: "resource_updated", uri: String(uri) } : undefined;
}

/** A stream of notifications lasts for as long as its client wants: nothing waits for its end. */
function isSubscription(body: unknown): boolean {
  return (body as { method?: unknown } | null)?.method === "subscriptions/listen";
}

function tooLarge(): Response {
  const message = `The body has more than ${mostBodyBytes} bytes. Send less: large data belongs into the workspace or a server.`;
  return refusal(413, message);
}

async function listen(http: Server, host: string, port: number): Promise<void> {
  http.listen(port, host);
  try {
    await once(http, "listening");
  } catch (thrown) {
    const where = `${host}:${port}`;
    if (systemCode(thrown) === "EADDRINUSE")
      throw new CoordinatorError("address_unusable", `Another program listens on ${where}`, {
        hint: "Give another --port, or end that program; it may be another coordinator, which clients can share.",
      });
    throw new CoordinatorError("address_unusable", `Cannot listen on ${where}: ${messageOf(thrown)}`, {
      hint: "Give a --host that is an address of this machine, and a --port above 1023.",
    });
  }
}
