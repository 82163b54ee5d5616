import { isDeepStrictEqual } from "node:util";
import type { Caller } from "../actor.ts";
import { plainLine } from "../catalog/plain-text.ts";
import type { ServerConfig } from "../config/server.ts";
import { CoordinatorError } from "../errors.ts";
import { nearest } from "../system/nearest.ts";
import { waitFor } from "../system/wait-for.ts";
import type { Notice } from "./connect.ts";
import type { ServerInfo } from "./connection.ts";
import { type Listing, type ListName, listMethods, listPages } from "./list-pages.ts";
import { listTools, type ToolList } from "./list-tools.ts";
import { type Authorization, createAuthorization } from "./oauth/authorization.ts";
import type { Credentials } from "./oauth/credentials.ts";
import { usesSignIn } from "./oauth/sign-ins.ts";
import { Upstream } from "./upstream.ts";
import { UpstreamError } from "./upstream-error.ts";
import type { OnNotice, UpstreamView } from "./upstream-view.ts";

const minute = 60_000;
/** How long an end waits for a token that is being renewed. */
const renewalMs = 4000;
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
  /** How long a server that let a call time out may take to say that it is there; 5 s. */
  readonly silenceMs?: number;
  /** Where sign-ins are kept; without it nobody is signed in to any server. */
  readonly credentials?: Credentials;
  /** A server says that its tools have changed. */
  onToolsChanged?(server: string): void;
  /** A server could not be started, or has gone by itself. */
  onFailed?(server: string, error: UpstreamError): void;
}

/** A request in the protocol's own words. */
interface RawRequest {
  readonly method: string;
  readonly params?: Record<string, unknown> | undefined;
  /** The tool that it calls. */
  readonly tool?: string | undefined;
  /** What else it is for, to follow "Cannot". */
  readonly what?: string | undefined;
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
  /** Whose turn it takes at a busy server; that of the caller when absent. */
  readonly turn?: string | undefined;
  onProgress?(progress: Progress): void;
}

interface ServerTools extends ToolList {
  readonly info: ServerInfo;
}

/** Every configured server, each started by its first use. What fails throws UpstreamError; no call is sent twice. */
export interface Upstreams extends UpstreamView, AsyncDisposable {
  /** The server's own result, untouched; one with `isError: true` is a result too. */
  call(server: string, tool: string, args: Record<string, unknown>, options?: CallOptions): Promise<unknown>;
  /** Any request, as it is, and the answer as it came. */
  request(server: string, request: RawRequest, options?: CallOptions): Promise<unknown>;
  list(server: string, options?: { readonly signal?: AbortSignal }): Promise<ServerTools>;
  /** Every page of what else it lists; nothing where the server has not declared it, or does not know the method after all. */
  listAll(server: string, name: ListName, options?: CallOptions): Promise<Listing>;
  /** These are the servers from now on. One that is gone or changed is ended when its calls are done. */
  update(servers: readonly ServerConfig[]): void;
  /** Ends every server and all that they have started, within 4 s. */
  close(): Promise<void>;
}

export function createUpstreams(servers: readonly ServerConfig[], options: UpstreamsOptions = {}): Upstreams {
  const { version = "0", connectTimeoutMs = 30_000, callTimeoutMs = 2 * minute } = options;
  const { idleMs = 10 * minute, listedOnlyMs = minute, silenceMs = 5000, credentials } = options;
  const times = { connectTimeoutMs, idleMs, listedOnlyMs, silenceMs };
  const listeners = new Set<OnNotice>();
  const configs = new Map<string, ServerConfig>();
  const authorizations = new Map<string, Authorization>();
  const upstreams = new Map<string, Upstream>();
  /** Servers that are no longer configured and have calls to finish. */
  const leaving = new Set<Upstream>();
  const create = (server: ServerConfig): Upstream => {
    const onNotice = (notice: Notice, caller: Caller | undefined) => {
      if (notice.method === "notifications/tools/list_changed") options.onToolsChanged?.(server.name);
      for (const listener of listeners) listener(server.name, notice, caller);
    };
    const onFailed = (error: UpstreamError) => options.onFailed?.(server.name, error);
    const authorization = credentials && usesSignIn(server) ? createAuthorization(server, credentials) : undefined;
    if (authorization) authorizations.set(server.name, authorization);
    return new Upstream(server, { version, ...times, authorization, onNotice, onFailed });
  };
  const update = (wanted: readonly ServerConfig[]): void => {
    const kept = new Set(
      wanted.flatMap((server) => (isSameProcess(configs.get(server.name), server) ? [server.name] : [])),
    );
    for (const [name, upstream] of upstreams) {
      if (kept.has(name)) continue;
      upstreams.delete(name);
      leaving.add(upstream);
      void upstream.retire().finally(() => leaving.delete(upstream));
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
    throw new CoordinatorError("server_unknown", `No upstream is called ${JSON.stringify(plainLine(name, 200))}`, {
      hint: known,
    });
  };

  const request: Upstreams["request"] = async (server, { method, params, ...about }, options = {}) => {
    const upstream = find(server);
    const { timeoutMs: asked, caller, turn } = options;
    const timeoutMs = Math.min(asked ?? upstream.timeoutMs ?? callTimeoutMs, longestTimeoutMs);
    refuseCancelled(server, options.signal, about.tool);
    return upstream.request(method, params, { ...options, ...about, timeoutMs, turn: turn ?? caller?.id });
  };

  const close = async () => {
    await Promise.all([...upstreams.values(), ...leaving].map((upstream) => upstream.close()));
    await waitFor(Promise.all([...authorizations.values()].map(({ settled }) => settled())), renewalMs);
  };

  return {
    call: (server, tool, args, options) =>
      request(server, { method: "tools/call", params: { name: tool, arguments: args }, tool }, options),
    request,
    async listAll(server, name, options = {}) {
      const upstream = find(server);
      const timeoutMs = options.timeoutMs ?? upstream.timeoutMs ?? callTimeoutMs;
      refuseCancelled(server, options.signal);
      const { capabilities } = await upstream.open({ timeoutMs, signal: options.signal });
      // Some servers answer nothing at all to a method that they do not know.
      if (capabilities[name === "prompts" ? "prompts" : "resources"] === undefined) return { items: [] };
      const what = `list the ${name === "resourceTemplates" ? "resource templates" : name}`;
      return listPages(server, name, what, (params, elapsedMs) =>
        request(server, { method: listMethods[name], params, what }, { ...options, timeoutMs: timeoutMs - elapsedMs }),
      );
    },
    async describe(server, { timeoutMs = callTimeoutMs } = {}) {
      const { info, capabilities } = await find(server).open({ timeoutMs });
      return { info, capabilities };
    },
    onNotice(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async list(server, { signal } = {}) {
      const upstream = find(server);
      refuseCancelled(server, signal);
      const connection = await upstream.open({ timeoutMs: callTimeoutMs, signal });
      const list = await listTools(server, connection, { timeoutMs: callTimeoutMs, signal });
      return { ...list, info: connection.info };
    },
    update,
    state: (server) => find(server).state,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Its description and the choice of its tools are no matter of the server itself. */
function isSameProcess(before: ServerConfig | undefined, now: ServerConfig): boolean {
  return (
    before !== undefined &&
    isDeepStrictEqual({ ...before, description: "", tools: {} }, { ...now, description: "", tools: {} })
  );
}

function refuseCancelled(server: string, signal: AbortSignal | undefined, tool?: string): void {
  if (!signal?.aborted) return;
  const message = `Nothing was sent to upstream ${JSON.stringify(server)}: the call was cancelled before`;
  throw new UpstreamError("call_cancelled", message, { server, tool, delivery: "not_sent" });
}
