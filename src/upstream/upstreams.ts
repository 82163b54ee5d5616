import { isDeepStrictEqual } from "node:util";
import type { ServerConfig } from "../config/server.ts";
import { CoordinatorError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import type { Caller } from "./caller.ts";
import type { ServerInfo } from "./connection.ts";
import { listTools, type ToolList } from "./list-tools.ts";
import { Upstream, type UpstreamState } from "./upstream.ts";
import { UpstreamError } from "./upstream-error.ts";

const minute = 60_000;
// Node's timers hold no more; a longer one fires at once.
const longestTimeoutMs = 2 ** 31 - 1;

export interface UpstreamsOptions {
  /** Ours, as servers are told it. */
  readonly version?: string;
  /** How long a server may take to become ready; 30 s. */
  readonly connectTimeoutMs?: number;
  /** How long a call may take, the start of its server included; 2 min. */
  readonly callTimeoutMs?: number;
  /** How long a server is kept without being used; 10 min. */
  readonly idleMs?: number;
  /** The same for a server that was only asked for its tools, as all of them are at the first start; 1 min. */
  readonly listedOnlyMs?: number;
  /** A server says that its tools have changed. */
  onToolsChanged?(server: string): void;
}

interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  /** For this call; progress does not extend it. */
  readonly timeoutMs?: number;
  /** The client behind the call; absent where nobody can be asked. */
  readonly caller?: Caller | undefined;
  onProgress?(progress: Progress): void;
}

interface ServerTools extends ToolList {
  readonly info: ServerInfo;
}

/** Every configured server, each started by its first use. What fails throws UpstreamError; no call is sent twice. */
export interface Upstreams extends AsyncDisposable {
  /** The server's own result, untouched; one with `isError: true` is a result too. */
  call(server: string, tool: string, args: Record<string, unknown>, options?: CallOptions): Promise<unknown>;
  list(server: string, options?: { readonly signal?: AbortSignal }): Promise<ServerTools>;
  state(server: string): UpstreamState;
  /** These are the servers from now on. One that is gone or changed is ended when its calls are done. */
  update(servers: readonly ServerConfig[]): void;
  /** Ends every server and all that they have started, within 4 s. */
  close(): Promise<void>;
}

export function createUpstreams(servers: readonly ServerConfig[], options: UpstreamsOptions = {}): Upstreams {
  const { version = "0", connectTimeoutMs = 30_000, callTimeoutMs = 2 * minute } = options;
  const { idleMs = 10 * minute, listedOnlyMs = minute } = options;
  const create = (server: ServerConfig): Upstream => {
    const onToolsChanged = () => options.onToolsChanged?.(server.name);
    return new Upstream(server, { version, connectTimeoutMs, idleMs, listedOnlyMs, onToolsChanged });
  };
  const configs = new Map<string, ServerConfig>();
  const upstreams = new Map<string, Upstream>();
  const uses = new Map<Upstream, number>();
  /** Servers that are no longer configured and have calls to finish, or are being ended. */
  const leaving = new Map<Upstream, Promise<void> | undefined>();
  const endUnused = (upstream: Upstream): void => {
    if (!leaving.has(upstream) || (uses.get(upstream) ?? 0) > 0) return;
    leaving.set(
      upstream,
      upstream.close().finally(() => leaving.delete(upstream)),
    );
  };
  const using = async <Result>(upstream: Upstream, work: () => Promise<Result>): Promise<Result> => {
    uses.set(upstream, (uses.get(upstream) ?? 0) + 1);
    try {
      return await work();
    } finally {
      uses.set(upstream, (uses.get(upstream) ?? 1) - 1);
      endUnused(upstream);
    }
  };
  const update = (wanted: readonly ServerConfig[]): void => {
    const kept = new Set(wanted.filter((server) => isDeepStrictEqual(configs.get(server.name), server)));
    for (const [name, upstream] of upstreams) {
      if (wanted.some((server) => server.name === name && kept.has(server))) continue;
      upstreams.delete(name);
      leaving.set(upstream, undefined);
      endUnused(upstream);
    }
    configs.clear();
    for (const server of wanted) {
      configs.set(server.name, server);
      if (!upstreams.has(server.name)) upstreams.set(server.name, create(server));
    }
  };
  update(servers);

  const find = (name: string): Upstream => {
    const upstream = upstreams.get(name);
    if (upstream !== undefined) return upstream;
    const similar = nearest(name, upstreams.keys());
    const known =
      similar === undefined ? `Configured are: ${[...upstreams.keys()].join(", ")}` : `Did you mean ${similar}?`;
    throw new CoordinatorError("server_unknown", `No upstream is called ${JSON.stringify(name)}`, { hint: known });
  };

  const close = async () => {
    await Promise.all([...upstreams.values(), ...leaving.keys()].map((upstream) => upstream.close()));
  };

  return {
    async call(server, tool, args, { signal, timeoutMs: asked = callTimeoutMs, onProgress } = {}) {
      const upstream = find(server);
      const timeoutMs = Math.min(asked, longestTimeoutMs);
      const params = { name: tool, arguments: args };
      refuseCancelled(server, signal, tool);
      return using(upstream, async () => {
        const { ready } = upstream;
        if (ready !== undefined) return ready.request("tools/call", params, { timeoutMs, tool, signal, onProgress });
        const began = performance.now();
        const opened = await upstream.open({ timeoutMs, tool, signal });
        const elapsedMs = performance.now() - began;
        return opened.request("tools/call", params, { timeoutMs, elapsedMs, tool, signal, onProgress });
      });
    },
    async list(server, { signal } = {}) {
      const upstream = find(server);
      refuseCancelled(server, signal);
      return using(upstream, async () => {
        const connection = await upstream.open({ timeoutMs: callTimeoutMs, signal });
        const list = await listTools(server, connection, { timeoutMs: callTimeoutMs, signal });
        return { ...list, info: connection.info };
      });
    },
    update,
    state: (server) => find(server).state,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function refuseCancelled(server: string, signal: AbortSignal | undefined, tool?: string): void {
  if (!signal?.aborted) return;
  const message = `Nothing was sent to upstream ${JSON.stringify(server)}: the call was cancelled before`;
  throw new UpstreamError("call_cancelled", message, { server, tool, delivery: "not_sent" });
}
