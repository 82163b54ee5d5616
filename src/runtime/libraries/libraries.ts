import { local } from "../../actor.ts";
import { libraryOf } from "../../catalog/library.ts";
import { type ReadTools, readTools } from "../../catalog/read-tools.ts";
import { createSearch, type Search } from "../../catalog/search.ts";
import type { Library, Tool } from "../../catalog/tool.ts";
import type { ServerConfig } from "../../config/server.ts";
import type { Door } from "../../door/door.ts";
import { CoordinatorError, messageOf } from "../../errors.ts";
import { nearest } from "../../system/nearest.ts";
import { askServers } from "./ask-servers.ts";
import type { CatalogCache } from "./catalog-cache.ts";
import { type ConfiguredServers, createConfiguredServers, identityOf } from "./configured-servers.ts";
import type { Listed } from "./listed.ts";

export interface InventoryEntry {
  readonly name: string;
  readonly module: string;
  readonly description: string;
  /** Unknown until the server has been asked for the first time. */
  readonly tools?: number;
}

/** What all configured servers offer: from the cache at once, from the servers themselves when it is not there. */
export interface Libraries {
  /** Throws server_unknown with the nearest name. */
  server(name: string): ServerConfig;
  /** All that makes the server the same one, as a hash: what is kept of it is kept under this. */
  identity(server: string): string;
  /** Every configured server and the module it becomes. */
  readonly modules: readonly { readonly name: string; readonly module: string }[];
  inventory(): Promise<readonly InventoryEntry[]>;
  /** The library of one server; asks it when nothing is known of it yet. */
  get(server: string): Promise<Listed>;
  /** The library, when it was read or asked for before; `load` and `get` do that. */
  peek(server: string): Listed | undefined;
  /** Reads what is kept of these servers, of all when none are named, so that `peek` has it. Asks none of them. */
  load(servers?: readonly string[]): Promise<void>;
  /** Every library that is known now, in the order of the configuration. */
  known(): Promise<readonly Library[]>;
  /** Ranked search over what is known now. */
  readonly search: Search["find"];
  /** Servers of which nothing is known, and why; those that were never asked have not failed. */
  missing(): Promise<{ readonly server: string; readonly reason: string; readonly failed: boolean }[]>;
  /** Asks every server of which nothing is known, a few at a time. Each failure is kept for `missing`. */
  discover(): Promise<void>;
  /** Asks the server again in the background, once in a process's life, now that it runs anyway. */
  freshen(server: string): void;
  /** Asks the server again. */
  refresh(server: string): Promise<Listed>;
  /** These are the servers from now on; what is known of those that stay as they are stays known. */
  update(servers: readonly ServerConfig[]): void;
  /** Keeps what a server has told, for when it becomes one of these. */
  learn(server: ServerConfig, listing: { readonly tools: unknown; readonly info?: unknown }): Promise<void>;
}

export interface LibrariesOptions {
  readonly servers: readonly ServerConfig[];
  readonly door: Pick<Door, "listTools">;
  readonly cache: CatalogCache;
  /** The server's tools are others, or say something else, than when it was last asked. */
  onRedefined?(identity: string, before: readonly Tool[], after: readonly Tool[]): Promise<void>;
}

export function createLibraries(options: LibrariesOptions): Libraries {
  const { cache } = options;
  const servers = createConfiguredServers();
  const shelf = createShelf(servers, cache);
  const asking = createAsking(servers, shelf, options);
  let discovering: Promise<void> | undefined;

  const missing: Libraries["missing"] = async () => {
    await shelf.load();
    return servers.all.flatMap(({ name }) => (shelf.peek(name) ? [] : [{ server: name, ...asking.reason(name) }]));
  };
  const get: Libraries["get"] = async (name) => {
    servers.get(name);
    if (!shelf.peek(name)) await shelf.load([name]);
    return shelf.peek(name) ?? asking.ask(name);
  };
  const libraries: Libraries = {
    server: servers.get,
    identity: servers.identity,
    get modules() {
      return servers.all.map(({ name }) => ({ name, module: servers.module(name) }));
    },
    async inventory() {
      const summaries = await cache.summaries(servers.all.map(({ name }) => servers.identity(name)));
      return servers.all.map((server) => {
        return inventoryEntry(server, servers.module(server.name), summaries.get(servers.identity(server.name)));
      });
    },
    get,
    peek: shelf.peek,
    load: shelf.load,
    known: shelf.known,
    search: shelf.search,
    missing,
    async discover() {
      const unknown = (await missing()).map(({ server }) => server);
      discovering ??= askServers(libraries, unknown).then(() => {
        discovering = undefined;
      });
      return discovering;
    },
    freshen: asking.freshen,
    refresh: asking.ask,
    update(wanted) {
      const others = servers.update(wanted);
      shelf.forget(others);
      asking.forget(others);
    },
    async learn(server, { tools, info }) {
      await cache.write(identityOf(server), { tools: readTools(tools).tools, info });
    },
  };
  libraries.update(options.servers);
  return libraries;
}

type Shelf = ReturnType<typeof createShelf>;

/** The libraries that were read or asked for, and the search over them. */
function createShelf(servers: ConfiguredServers, cache: CatalogCache) {
  const listed = new Map<string, Listed>();
  /** Servers of which the cache was asked. */
  const looked = new Set<string>();
  let search: Search | undefined;

  const keep = (server: ServerConfig, { tools, skipped }: ReadTools, serverInfo: unknown): Listed => {
    const info = (serverInfo ?? {}) as { title?: unknown; instructions?: unknown };
    const library = libraryOf(server, { tools, info }, servers.module(server.name));
    const entry = { library, skipped, tools: new Map(library.tools.map((tool) => [tool.name, tool])) };
    // While it was asked, the configuration may have changed.
    if (!servers.has(server)) return entry;
    listed.set(server.name, entry);
    search = undefined;
    return entry;
  };
  const load = async (names?: readonly string[]): Promise<void> => {
    const wanted = (names?.flatMap((name) => servers.peek(name) ?? []) ?? servers.all).filter(
      ({ name }) => !listed.has(name) && !looked.has(name),
    );
    if (wanted.length === 0) return;
    const identities = wanted.map(({ name }) => servers.identity(name));
    const found = await cache.read(identities);
    for (const server of wanted) {
      const entry = found.get(identityOf(server));
      if (servers.has(server)) looked.add(server.name);
      // What the server itself has said meanwhile is newer.
      if (entry && !listed.has(server.name)) keep(server, readTools(entry.tools), entry.info);
    }
    if (!names) await cache.touch(identities);
  };
  const known = async (): Promise<readonly Library[]> => {
    await load();
    return servers.all.flatMap(({ name }) => listed.get(name)?.library ?? []);
  };
  const find: Libraries["search"] = async (query, match, how) => {
    const all = await known();
    search ??= createSearch(all);
    return search.find(query, match, how);
  };
  return {
    keep,
    load,
    known,
    search: find,
    peek: (name: string): Listed | undefined => listed.get(name),
    forget(names: readonly string[]): void {
      for (const forgetful of [listed, looked]) for (const name of names) forgetful.delete(name);
      search = undefined;
    },
  };
}

/** Asks servers for their tools, each once at a time, and knows of those that did not answer why. */
function createAsking(servers: ConfiguredServers, shelf: Shelf, { door, cache, onRedefined }: LibrariesOptions) {
  const asking = new Map<string, Promise<Listed>>();
  const failures = new Map<string, string>();
  const fresh = new Set<string>();

  const askOnce = async (server: ServerConfig): Promise<Listed> => {
    try {
      const { tools, info, leftOut = [] } = await door.listTools(server.name, local);
      // What was read of it and not what was sent: that may be too large or too deep to be kept.
      const read = readTools(tools);
      const before = await cache.write(identityOf(server), { tools: read.tools, info });
      if (before) await onRedefined?.(identityOf(server), before as readonly Tool[], read.tools);
      if (servers.has(server)) {
        fresh.add(server.name);
        failures.delete(server.name);
      }
      return shelf.keep(server, { tools: read.tools, skipped: [...read.skipped, ...leftOut] }, info);
    } catch (thrown) {
      if (servers.has(server)) failures.set(server.name, reasonOf(thrown));
      throw thrown;
    }
  };
  const ask = (name: string): Promise<Listed> => {
    const under = asking.get(name);
    if (under) return under;
    const answer = askOnce(servers.get(name)).finally(() => asking.get(name) === answer && asking.delete(name));
    asking.set(name, answer);
    return answer;
  };
  return {
    ask,
    reason: (name: string) => ({
      reason: failures.get(name) ?? "it has not answered yet",
      failed: failures.has(name),
    }),
    freshen(name: string): void {
      // A server may be taken out of the configuration while a call to it is under way.
      if (fresh.has(name) || !servers.peek(name)) return;
      fresh.add(name);
      ask(name).catch(() => fresh.delete(name)); // the cached library goes on serving
    },
    forget(names: readonly string[]): void {
      for (const forgetful of [asking, failures, fresh]) for (const name of names) forgetful.delete(name);
    },
  };
}

/** What to do about a sign-in is part of the reason; a model is told only that. */
function reasonOf(thrown: unknown): string {
  const needsSignIn = thrown instanceof CoordinatorError && thrown.code === "sign_in_needed";
  return needsSignIn ? `${thrown.message} (${thrown.hint})` : messageOf(thrown);
}

function inventoryEntry(
  server: ServerConfig,
  module: string,
  summary?: { toolCount: number; info: unknown },
): InventoryEntry {
  const info = (summary?.info ?? {}) as { title?: unknown; instructions?: unknown };
  const { description } = libraryOf(server, { tools: [], info }, module);
  return {
    name: server.name,
    module,
    description,
    ...(summary && { tools: summary.toolCount }),
  };
}

/** The tool of that exact name; throws tool_unknown with the nearest. */
export function findTool({ library, tools }: Listed, name: string): Tool {
  const tool = tools.get(name);
  if (tool) return tool;
  const close = nearest(name, tools.keys());
  throw new CoordinatorError("tool_unknown", `The server "${library.server}" has no tool "${name}"`, {
    hint: close && `Did you mean "${close}"?`,
  });
}
