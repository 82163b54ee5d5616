import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, BlockList, isIP } from "node:net";
import type { Coordinator } from "../../app/coordinator.ts";
import { servicesOf } from "../../app/services-of.ts";
import { CoordinatorError, messageOf, systemCode } from "../../errors.ts";
import { createGateway, type GatewayOptions } from "../gateway.ts";
import { createAccess } from "./access.ts";
import { watchConnections } from "./connections.ts";
import { createRequestListener } from "./listener.ts";
import { createMcpEndpoint } from "./mcp.ts";
import { hangUp } from "./message.ts";
import { createRouter, endpoint, type Route } from "./router.ts";
import { type HttpToken, openToken } from "./token.ts";

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

/** With the token. Clients that have it are strangers, too, until their first request is read: these get as much room. */
const mostConnections = 1000;
const strangers = { most: 1000, milliseconds: 10_000 };
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
  const { home, http: settings } = servicesOf(coordinator).config;
  const token = await openToken(home);
  const http = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: keptMs,
    connectionsCheckingInterval: 5000,
  });
  http.maxConnections = mostConnections + strangers.most;
  const access = createAccess({ host, names: settings.names, token, onToken: watchConnections(http, strangers) });
  const gateway = createGateway(coordinator, options);
  const mcp = createMcpEndpoint(gateway);
  const routes: Route[] = [
    { path: "/health", methods: ["GET", "HEAD"], access: "open", handle: health },
    { path: endpoint, methods: ["POST", "GET", "DELETE"], access: "token", handle: mcp.handle },
  ];
  http.on("request", createRequestListener(createRouter(access, routes), onError));
  await listen(http, host, port);
  return {
    ...whereIs(http.address() as AddressInfo),
    token,
    async drain() {
      http.close();
      await mcp.drain(drainMs);
    },
    async close() {
      await mcp.drain(lastAnswersMs);
      await Promise.all([mcp.close(), gateway.close()]);
      http.closeAllConnections();
    },
  };
}

function health(): Response {
  return new Response("ok\n", { headers: hangUp });
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

async function listen(http: Server, host: string, port: number): Promise<void> {
  http.listen(port, host);
  try {
    await once(http, "listening");
  } catch (thrown) {
    const where = `${host}:${port}`;
    const isTaken = systemCode(thrown) === "EADDRINUSE";
    const message = isTaken ? `Another program listens on ${where}` : `Cannot listen on ${where}: ${messageOf(thrown)}`;
    const hint = isTaken
      ? "Give another --port, or end that program; it may be another coordinator, which clients can share."
      : "Give a --host that is an address of this machine, and a --port above 1023.";
    throw new CoordinatorError("address_unusable", message, { hint });
  }
}
