import { createServer, connect as dial, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** What a network may do to the bytes of a server's answers; the names are toxiproxy's. */
interface Toxics {
  /** Milliseconds before each chunk. */
  latency?: number;
  /** Bytes a second. */
  bandwidth?: number;
  /** Bytes of each chunk. */
  slicer?: number;
  /** Nothing passes any more, and nothing is closed. */
  timeout?: boolean;
  /** After so many bytes of a connection it is reset. */
  resetPeer?: number;
  /** After so many bytes of a connection it is closed. */
  limitData?: number;
  /** Milliseconds between the server's end of a connection and ours. */
  slowClose?: number;
}

/** A TCP proxy in front of a server of this machine that damages what passes, as it is told at the moment. */
export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  toxics: Toxics;
  /** Refuses new connections and resets those that are open, until it is up again. */
  down(): Promise<void>;
  up(): Promise<void>;
}

export async function startProxy(target: string): Promise<FaultProxy> {
  const { hostname, port, pathname } = new URL(target);
  const open = new Set<Socket>();
  const proxy = { toxics: {} as Toxics };
  const server = createServer((client) => {
    const upstream = dial(Number(port), hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => {}).on("close", () => open.delete(socket));
    }
    client.on("data", (chunk) => proxy.toxics.timeout || upstream.write(chunk));
    client.on("close", () => upstream.destroy());
    let passed = 0;
    let queue = Promise.resolve();
    upstream.on("data", (chunk) => {
      queue = queue.then(() => pass(chunk));
    });
    upstream.on("close", () => {
      queue = queue.then(async () => {
        await delay(proxy.toxics.slowClose ?? 0);
        client.end();
      });
    });
    const pass = async (chunk: Buffer): Promise<void> => {
      const { latency = 0, bandwidth, slicer = bandwidth ? Math.ceil(bandwidth / 20) : chunk.length } = proxy.toxics;
      for (let start = 0; start < chunk.length && !client.destroyed; start += slicer) {
        const slice = chunk.subarray(start, start + slicer);
        const { timeout, resetPeer = Number.POSITIVE_INFINITY, limitData = Number.POSITIVE_INFINITY } = proxy.toxics;
        if (timeout) return;
        await delay(latency + (bandwidth ? (slice.length / bandwidth) * 1000 : 0));
        passed += slice.length;
        if (passed > resetPeer) return void client.resetAndDestroy();
        if (passed > limitData) return void client.destroy();
        client.write(slice);
      }
    };
  });
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve));
  const down = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of open) socket.resetAndDestroy();
    await closed;
  };
  await listen(0);
  const own = (server.address() as { port: number }).port;
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${own}${pathname}`,
    down,
    up: () => listen(own),
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await down();
    },
  });
}
