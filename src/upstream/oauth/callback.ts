import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { systemCode } from "../../errors.ts";

const path = "/callback";

/** A page on this machine to which the browser comes back from signing in. */
export interface Callback extends Disposable {
  readonly redirectUri: string;
  /** What the browser brought: the first request with the right state. */
  readonly reply: Promise<URLSearchParams>;
}

/** Listens on loopback alone. `wanted` is a port that was used before; any free one does when it is taken. */
export async function openCallback(
  state: string,
  { port, mustBe }: { readonly port?: number | undefined; readonly mustBe?: boolean },
): Promise<Callback> {
  let arrived: (reply: URLSearchParams) => void;
  const reply = new Promise<URLSearchParams>((resolve) => {
    arrived = resolve;
  });
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    // Any page in the browser may ask us; only the one that we sent it to knows the state.
    const isMeant = request.method === "GET" && pathname === path && searchParams.get("state") === state;
    response.writeHead(isMeant ? 200 : 404, {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      connection: "close",
    });
    response.end(isMeant ? words(searchParams) : "Nothing is here.\n");
    if (isMeant) arrived(searchParams);
  });
  const listen = (wanted: number) =>
    new Promise<number>((resolve, reject) => {
      server.once("error", reject);
      server.listen(wanted, "127.0.0.1", () => {
        server.off("error", reject);
        resolve((server.address() as AddressInfo).port);
      });
    });
  const open = await listen(port ?? 0).catch((thrown: unknown) => {
    if (systemCode(thrown) !== "EADDRINUSE" || mustBe) throw thrown;
    return listen(0);
  });
  return {
    redirectUri: `http://127.0.0.1:${open}${path}`,
    reply,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function words(reply: URLSearchParams): string {
  return reply.has("error")
    ? "Signing in was refused. The terminal says why; you can close this window.\n"
    : "Back at mcp-coordinator. The terminal says whether it worked; you can close this window.\n";
}
