import { ProtocolError, ProtocolErrorCode, type Result, type ServerCapabilities } from "@modelcontextprotocol/server";
import { allowed } from "../catalog/glob.ts";
import { CoordinatorError, messageOf, messageWithHint } from "../errors.ts";
import type { Coordinator } from "../operations/coordinator.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { ServerDescription } from "../upstream/upstreams.ts";
import type { Exchange } from "./exchange.ts";
import { type Item, publicNames } from "./exposed-names.ts";
import { ExposedSubscriptions } from "./exposed-subscriptions.ts";
import type { Params } from "./raw-server.ts";

/** A server that clients see as it is: `name`, or `name=prefix` with what is put before its names. */
interface ExposedServer {
  readonly name: string;
  readonly prefix: string | undefined;
  /** Undefined when it could not be reached at the start. */
  readonly description: ServerDescription | undefined;
}

type Kind = "tools" | "prompts" | "resources" | "resourceTemplates";

const listMethods: Readonly<Record<Kind, string>> = {
  tools: "tools/list",
  prompts: "prompts/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
};
const mostPages = 1000;
/** How long a client waits at most for a server to start before it learns what there is. */
const startMs = 15_000;
const methodNotFound = -32601;
/** What servers say of a resource that they do not have. */
const noResource = new Set([-32002, -32602]);

/** All that servers list of one kind, and how long that may be kept. */
interface Listed {
  readonly items: readonly Item[];
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

/** One client's request, to be handed on. */
export interface Handed {
  readonly method: string;
  readonly params: Params;
  readonly client: string | undefined;
  readonly exchange: Exchange;
}

/** The servers whose tools, resources and prompts clients see beside ours, each as its server has it. */
export interface Exposed {
  readonly servers: readonly ExposedServer[];
  readonly capabilities: ServerCapabilities;
  readonly instructions: string;
  /** Everything of a kind under the names that clients use; `taken` are names of ours. */
  list(kind: Kind, taken?: ReadonlySet<string>): Promise<Listed>;
  /** Whether a tool, or a prompt, of that name is theirs. */
  has(kind: "tools" | "prompts", name: string, taken: ReadonlySet<string>): Promise<boolean>;
  call(kind: "tools" | "prompts", handed: Handed): Promise<Result>;
  /** To the server that has the resource. */
  toResource(uri: string, handed: Handed): Promise<Result>;
  complete(handed: Handed): Promise<Result>;
  /** The same request to every server that has the capability; what fails is not told. */
  toAll(capability: keyof ServerCapabilities, handed: Handed): Promise<void>;
  readonly subscriptions: ExposedSubscriptions;
  /** Tells of every notification that is not about one call; the answer ends that. */
  onNotice(listener: (notice: Notice) => void): () => void;
}

/** A notification of a server. */
export interface Notice {
  readonly method: string;
  readonly params?: Params | undefined;
}

export async function openExposed(
  coordinator: Coordinator,
  entries: readonly string[],
  onError: (error: Error) => void,
): Promise<Exposed> {
  const { libraries, upstreams, forward } = coordinator.services;
  const servers = await Promise.all(
    entries.map(async (entry): Promise<ExposedServer> => {
      const [text = "", prefix] = entry.split(/=(.*)/s, 2);
      const { name } = libraries.server(text);
      const description = await upstreams.describe(name, { timeoutMs: startMs }).catch((thrown: Error) => {
        onError(thrown);
        return undefined;
      });
      return { name, prefix, description };
    }),
  );
  /** The last known names, for calls. */
  const known: { [kind in "tools" | "prompts"]?: ReturnType<typeof publicNames<ExposedServer>> } = {};
  const owners = new Map<string, ExposedServer>();

  const listOne = async (server: ExposedServer, kind: Kind): Promise<Listed> => {
    const items: Item[] = [];
    let hints = { ttlMs: 0, cacheScope: "private" as Listed["cacheScope"] };
    let cursor: unknown;
    if (!offers(server, kind)) return { items, ttlMs: Number.MAX_SAFE_INTEGER, cacheScope: "public" };
    const seen = new Set<unknown>();
    for (let page = 0; page < mostPages; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const request = { server: server.name, method: listMethods[kind], params, client: undefined };
      const result = (await forward(request).catch(asEmpty)) as Params;
      const listed = result[kind];
      if (Array.isArray(listed)) items.push(...listed.filter((item) => isShown(server, kind, item)));
      if (typeof result["ttlMs"] === "number") {
        hints = { ttlMs: result["ttlMs"], cacheScope: result["cacheScope"] === "public" ? "public" : "private" };
      }
      cursor = result["nextCursor"];
      if (typeof cursor !== "string" || cursor === "" || seen.has(cursor)) break;
      seen.add(cursor);
    }
    return { items, ...hints };
  };
  const isShown = (server: ExposedServer, kind: Kind, item: unknown): item is Item => {
    if (typeof item !== "object" || item === null) return false;
    const { name } = item as Item;
    if (kind === "tools") return typeof name === "string" && allowed(name, libraries.server(server.name).tools);
    return kind !== "prompts" || typeof name === "string";
  };
  const listEach = (kind: Kind) =>
    Promise.all(
      servers.map(async (server) => {
        const listed = await listOne(server, kind).catch((thrown: Error) => {
          if (servers.length === 1) throw failure(thrown);
          onError(thrown);
          return { items: [], ttlMs: 0, cacheScope: "private" as const };
        });
        return { server, ...listed };
      }),
    );
  const send = async (server: ExposedServer, { method, params, client, exchange }: Handed): Promise<Result> => {
    const { signal, caller } = exchange;
    const onProgress = (progress: object): void => {
      const { progressToken } = exchange;
      if (progressToken !== undefined)
        exchange.notify({ method: "notifications/progress", params: { ...progress, progressToken } });
    };
    const wantsProgress = exchange.progressToken !== undefined;
    const result = await forward({
      server: server.name,
      method,
      params: forServer(params, exchange),
      client,
      caller,
      signal,
      ...(wantsProgress && { onProgress }),
    });
    return result as Result;
  };
  const named = async (kind: "tools" | "prompts", name: string, taken: ReadonlySet<string>) => {
    if (!known[kind]?.has(name)) await exposed.list(kind, taken);
    return known[kind]?.get(name);
  };

  const listeners = new Set<(notice: Notice) => void>();
  upstreams.onNotice((name, { method, params }, caller) => {
    if (!servers.some((server) => server.name === name)) return;
    const notice = { method, ...(params && { params: { ...params } }) };
    if (method === "notifications/message" && caller?.notify) caller.notify(notice);
    else for (const listener of listeners) listener(notice);
  });

  const exposed: Exposed = {
    servers,
    subscriptions: new ExposedSubscriptions(),
    onNotice(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async toAll(capability, handed) {
      const having = servers.filter(({ description }) => description?.capabilities[capability]);
      await Promise.allSettled(having.map((server) => send(server, handed)));
    },
    capabilities: mergedCapabilities(servers),
    instructions: servers.flatMap(({ description }) => description?.info.instructions ?? []).join("\n\n"),
    async list(kind, taken = new Set()) {
      const listings = await listEach(kind);
      const ttlMs = Math.min(...listings.map((listing) => listing.ttlMs));
      const cacheScope = listings.every((listing) => listing.cacheScope === "public") ? "public" : "private";
      const hints = { ttlMs, cacheScope } as const;
      if (kind === "tools" || kind === "prompts") {
        known[kind] = publicNames(
          taken,
          listings.map(({ server, items }) => ({ owner: server, server: server.name, prefix: server.prefix, items })),
        );
        return { items: [...known[kind].values()].map(({ item }) => item), ...hints };
      }
      const key = kind === "resources" ? "uri" : "uriTemplate";
      for (const { server, items } of listings.toReversed()) {
        for (const item of items) owners.set(String(item[key]), server);
      }
      return { items: listings.flatMap(({ items }) => items), ...hints };
    },
    has: async (kind, name, taken) => (await named(kind, name, taken)) !== undefined,
    async call(kind, handed) {
      const found = known[kind]?.get(String(handed.params["name"]));
      if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown name: ${handed.params["name"]}`);
      const request = { ...handed, params: { ...handed.params, name: found.name } };
      return send(found.owner, request).catch((thrown) => answerTo(kind, thrown));
    },
    async toResource(uri, handed) {
      const owner = owners.get(uri);
      const candidates = owner ? [owner] : servers.filter((server) => offers(server, "resources"));
      let last: unknown = new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource not found: ${uri}`, { uri });
      for (const server of candidates) {
        try {
          return await send(server, handed);
        } catch (thrown) {
          last = thrown;
          if (!(thrown instanceof UpstreamError && noResource.has(thrown.rpcCode ?? 0))) break;
        }
      }
      throw failure(last);
    },
    async complete(handed) {
      const { ref } = handed.params as { ref?: { type?: unknown; name?: unknown; uri?: unknown } };
      if (ref?.type !== "ref/prompt") {
        if (!owners.has(String(ref?.uri))) await exposed.list("resourceTemplates");
        return exposed.toResource(String(ref?.uri), handed);
      }
      const found = await named("prompts", String(ref.name), new Set());
      if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${ref.name}"`);
      const params = { ...handed.params, ref: { ...ref, name: found.name } };
      return send(found.owner, { ...handed, params }).catch((thrown) => Promise.reject(failure(thrown)));
    },
  };
  return exposed;
}

function offers({ description }: ExposedServer, kind: Kind): boolean {
  if (!description) return true;
  return description.capabilities[kind === "resourceTemplates" ? "resources" : kind] !== undefined;
}

/** A server need not have a method for what it has none of. */
function asEmpty(thrown: unknown): unknown {
  if (thrown instanceof UpstreamError && thrown.rpcCode === methodNotFound) return {};
  throw thrown;
}

function mergedCapabilities(servers: readonly ExposedServer[]): ServerCapabilities {
  // Of a server that has not answered, all may yet come.
  const unknown = { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true } };
  const all = servers.map(({ description }) => description?.capabilities ?? unknown);
  const merged: Record<string, object> = {};
  for (const name of ["tools", "prompts", "resources", "completions", "logging"] as const) {
    for (const capabilities of all) {
      const capability = (capabilities as ServerCapabilities)[name];
      if (capability) merged[name] = { ...merged[name], ...capability };
    }
  }
  return merged;
}

/** The client's own words for the server. Tokens for progress are between two neighbours: the next gets its own. */
function forServer(params: Params, { logLevel }: Exchange): Params {
  const { _meta: meta, ...rest } = params;
  const { progressToken: _token, ...kept } = (meta ?? {}) as Params;
  const all = { ...kept, ...(logLevel !== undefined && { "io.modelcontextprotocol/logLevel": logLevel }) };
  return Object.keys(all).length === 0 ? rest : { ...rest, _meta: all };
}

/** What the client gets for a failure: the server's own error as it is, ours as the result of a tool. */
function answerTo(kind: "tools" | "prompts", thrown: unknown): Result {
  const isOurs =
    thrown instanceof CoordinatorError && !(thrown instanceof UpstreamError && thrown.rpcCode !== undefined);
  if (kind !== "tools" || !isOurs) throw failure(thrown);
  return { content: [{ type: "text", text: messageWithHint(thrown) }], isError: true };
}

function failure(thrown: unknown): unknown {
  if (thrown instanceof UpstreamError && thrown.rpcCode !== undefined) {
    return new ProtocolError(thrown.rpcCode, thrown.rpcMessage ?? thrown.message, thrown.rpcData);
  }
  if (!(thrown instanceof CoordinatorError)) return thrown;
  return new ProtocolError(ProtocolErrorCode.InternalError, messageWithHint(thrown) || messageOf(thrown));
}
