import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer as createPlainServer, type Socket } from "node:net";
import { certificate, privateKey } from "./certificate.fixture.ts";
import type { EgressOptions } from "./egress.ts";
import { isPublicAddress } from "./public-address.ts";

/** A real server on loopback, with what it has seen. */
export interface LocalServer extends AsyncDisposable {
  readonly port: number;
  /** "METHOD path" of each request. */
  readonly requests: string[];
  readonly open: ReadonlySet<Socket>;
}

export async function serveHttp(listener: RequestListener): Promise<LocalServer> {
  return listen(createServer(), listener);
}

export async function serveHttps(listener: RequestListener): Promise<LocalServer> {
  return listen(createSecureServer({ key: privateKey, cert: certificate }), listener);
}

/** A server that does with each connection what it likes. */
export async function serveSockets(listener: (socket: Socket) => void): Promise<LocalServer> {
  return track(createPlainServer(listener), []);
}

function listen(server: ReturnType<typeof createServer>, listener: RequestListener): Promise<LocalServer> {
  const requests: string[] = [];
  server.on("request", (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.on("error", () => {});
    listener(request, response);
  });
  return track(server, requests);
}

async function track(server: ReturnType<typeof createPlainServer>, requests: string[]): Promise<LocalServer> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    open,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Every name is this machine's, and this machine counts as public. */
export function local(...allow: string[]): EgressOptions {
  return {
    allow,
    lookup: async () => ["127.0.0.1"],
    isPublic: (address) => address === "127.0.0.1" || isPublicAddress(address),
    ca: certificate,
  };
}
