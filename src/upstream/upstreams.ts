import { isDeepStrictEqual } from "node:util";
import type { Caller, Notification } from "../actor.ts";
import { plainLine } from "../catalog/plain-text.ts";
import type { ServerConfig } from "../config/server.ts";
import { CoordinatorError } from "../errors.ts";
import { nearest } from "../system/nearest.ts";
import { waitFor } from "../system/wait-for.ts";
import { demandStart } from "./demand-start.ts";
import { type Authorization, createAuthorization } from "./oauth/authorization.ts";
import type { Credentials } from "./oauth/credentials.ts";
import { usesSignIn } from "./oauth/sign-ins.ts";
import { Upstream } from "./upstream.ts";
import type { UpstreamError } from "./upstream-error.ts";
import type { OnNotification, UpstreamView } from "./upstream-view.ts";

const minute = 60_000;
/** Servers that run because they were asked for their tools. With hundreds of servers all of them are, one after the other. */
const mostListedOnly = 16;
/** How long an end waits for a token that is being renewed. */
const renewalMs = 4000;

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
  /** Throws why a server may not be started or reached. */
  mayStart?(server: string): Promise<void>;
  /** A server says that its tools have changed. */
  onToolsChanged?(server: string): void;
  /** A server could not be started, or has gone by itself. */
  onFailed?(server: string, error: UpstreamError): void;
}

/** Every configured server, each started by its first use. */
export interface Upstreams extends UpstreamView, AsyncDisposable {
  /** The way to one of them. Throws server_unknown with the nearest name. */
  to(server: string): Requests;
  /** These are the servers from now on. One that is gone or changed is ended when its calls are done. */
  update(servers: readonly ServerConfig[]): void;
  /** Ends every server and all that they have started, within 4 s. */
  close(): Promise<void>;
}

/** What a server can be asked. What fails throws UpstreamError; nothing is sent twice. */
export type Requests = Pick<Upstream, "call" | "request" | "list" | "listAll">;

export function createUpstreams(servers: readonly ServerConfig[], options: UpstreamsOptions = {}): Upstreams {
  const { version = "0", connectTimeoutMs = 30_000, callTimeoutMs = 2 * minute } = options;
  const { idleMs = 10 * minute, listedOnlyMs = minute, silenceMs = 5000, credentials } = options;
  const times = { connectTimeoutMs, callTimeoutMs, idleMs, listedOnlyMs, silenceMs };
  const listeners = new Set<OnNotification>();
  const authorizations = new Map<string, Authorization>();
  const create = (server: ServerConfig): Upstream => {
    const onNotification = (notification: Notification, caller: Caller | undefined) => {
      if (notification.method === "notifications/tools/list_changed") options.onToolsChanged?.(server.name);
      for (const listener of listeners) listener(server.name, notification, caller);
    };
    const onFailed = (error: UpstreamError) => options.onFailed?.(server.name, error);
    const authorization = credentials && usesSignIn(server) ? createAuthorization(server, credentials) : undefined;
    if (authorization) authorizations.set(server.name, authorization);
    const mayStart = async () => options.mayStart && demandStart(server.name, options.mayStart);
    return new Upstream(server, { version, ...times, authorization, mayStart, onListed, onNotification, onFailed });
  };
  const listed = new Set<Upstream>();
  const onListed = (upstream: Upstream) => {
    listed.delete(upstream);
    listed.add(upstream);
    const [oldest] = listed;
    if (listed.size <= mostListedOnly || oldest === undefined) return;
    listed.delete(oldest);
    oldest.letGoUnlessUsed();
  };
  const roster = createRoster(create);
  roster.update(servers);
  const close = async () => {
    await roster.close();
    await waitFor(Promise.all([...authorizations.values()].map(({ settled }) => settled())), renewalMs);
  };
  return {
    to: roster.find,
    async describe(server, { timeoutMs = callTimeoutMs } = {}) {
      const { info, capabilities } = await roster.find(server).open({ timeoutMs });
      return { info, capabilities };
    },
    onNotification(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    update: roster.update,
    state: (server) => roster.find(server).state,
    connection: (server) => roster.find(server).ready,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The servers that are configured now, and those that are not any more and have calls to finish. */
function createRoster(create: (server: ServerConfig) => Upstream) {
  const configs = new Map<string, ServerConfig>();
  const upstreams = new Map<string, Upstream>();
  const leaving = new Set<Upstream>();
  return {
    find(name: string): Upstream {
      const upstream = upstreams.get(name);
      if (upstream !== undefined) return upstream;
      const similar = nearest(name, upstreams.keys());
      const hint = similar ? `Did you mean ${similar}?` : `Configured: ${[...upstreams.keys()].join(", ")}`;
      const message = `No upstream is called ${JSON.stringify(plainLine(name, 200))}`;
      throw new CoordinatorError("server_unknown", message, { hint });
    },
    update(wanted: readonly ServerConfig[]): void {
      const kept = new Set(wanted.filter((server) => isSameProcess(configs.get(server.name), server)).map(nameOf));
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
    },
    close: () => Promise.all([...upstreams.values(), ...leaving].map((upstream) => upstream.close())),
  };
}

function nameOf({ name }: ServerConfig): string {
  return name;
}

/** Its description and the choice of its tools are no matter of the server itself. */
function isSameProcess(before: ServerConfig | undefined, now: ServerConfig): boolean {
  return (
    before !== undefined &&
    isDeepStrictEqual({ ...before, description: "", tools: {} }, { ...now, description: "", tools: {} })
  );
}
