import { once } from "node:events";
import { createServer as createHttpServer, type Server } from "node:http";
import { type AddressInfo, BlockList, isIP, type Socket } from "node:net";
import { createMcpHandler, isLegacyRequest, type ServerEvent } from "@modelcontextprotocol/server";
import { CoordinatorError, messageOf, systemCode } from "../errors.ts";
import type { Coordinator } from "../operations/coordinator.ts";
import type { Notice } from "./exposed.ts";
import { createAccess, endpoint } from "./http-access.ts";
import { watchConnections } from "./http-connections.ts";
import { createExchanges } from "./http-exchanges.ts";
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
/** With the token. A crowd that has it is without it too until its first request was read: it gets as much room. */
const mostConnections = 1000;
const strangers = { most: 1000, milliseconds: 10_000 };
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
  const modern = createMcpHandler(
    ({ authInfo }) => createServer(coordinator, options, { id: authInfo?.clientId ?? "", isAnonymous: true }),
    { legacy: "reject", onerror: onError },
  );
  // Their servers live for one request: what changes is told on the streams that they keep open for it.
  options.exposed?.onNotice((notice) => {
    const event = changeEvent(notice);
    if (event) modern.bus.publish(event);
  });
  const sessions = createHttpSessions({
    createServer(id) {
      const server = createServer(coordinator, options, { id });
      server.onOver(() => coordinator.services.sessions.endAll({ id }));
      return server;
    },
    onError,
    idleMs: sessionIdleMs,
    most: mostSessions,
  });
  const connections = new WeakMap<Socket, string>();
  let lastConnection = 0;

  const access = createAccess({
    host,
    names: coordinator.config.http.names,
    token,
    onToken: (socket) => onToken(socket),
  });
  const exchanges = createExchanges({ access, onError }, async (request, body, { socket, over }) => {
    if (await isLegacyRequest(request, body)) return sessions.serve(request, body, over);
    // Clients of 2026-07-28 have no session: for turns the connection tells one from another, for nothing else.
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
    (incoming, outgoing) => void exchanges.serve(incoming, outgoing),
  );
  http.maxConnections = mostConnections + strangers.most;
  const onToken = watchConnections(http, strangers);
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

/** What a notification of an exposed server is on those streams. */
function changeEvent({ method, params }: Notice): ServerEvent | undefined {
  const kind = changeKinds[method];
  const uri = params?.["uri"];
  if (kind) return { kind };
  return method === "notifications/resources/updated" ? { kind: "resource_updated", uri: String(uri) } : undefined;
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
