import { local } from "../../actor.ts";
import { libraryOf } from "../../catalog/library.ts";
import { readTools, type Skipped } from "../../catalog/read-tools.ts";
import type { Search } from "../../catalog/search/search.ts";
import { digestTools, packDigest } from "../../catalog/search/search-digest.ts";
import type { Tool } from "../../catalog/tool.ts";
import type { LeftOutServer } from "../../config/left-out.ts";
import type { ServerConfig } from "../../config/server.ts";
import type { Door } from "../../door/door.ts";
import { CoordinatorError, messageOf } from "../../errors.ts";
import { nearest } from "../../system/nearest.ts";
import { askServers } from "./ask-servers.ts";
import type { CatalogCache } from "./catalog-cache.ts";
import {
  type ConfiguredServer,
  type ConfiguredServers,
  createConfiguredServers,
  infoOf,
  serverIdentity,
  type UnusableServer,
} from "./configured-servers.ts";
import { createKnownLibraries, type KnownLibraries, type KnownLibrary } from "./known-libraries.ts";
import { createLibrarySearch, type LibrarySearch, type ServerNames } from "./library-search.ts";
import { searchTable } from "./search-table.ts";

export interface InventoryEntry {
  readonly name: string;
  readonly module: string;
  readonly description: string;
  /** Unknown until the server has been asked for the first time. */
  readonly tools?: number;
}

/** What all configured servers offer: from the cache at once, from the servers themselves when it is not there. */
export interface Libraries {
  /** Throws server_unknown with the nearest name, server_left_out with the reason. */
  server(name: string): ServerConfig;
  /** All that makes the server the same one, as a hash: what is kept of it is kept under this. */
  identity(server: string): string;
  /** Every configured server and the module it becomes. */
  readonly modules: readonly { readonly name: string; readonly module: string }[];
  /** Those that are configured and cannot be used. */
  readonly leftOut: readonly UnusableServer[];
  /** The first of them, all when no number is given. */
  inventory(most?: number): Promise<readonly InventoryEntry[]>;
  /** The library of one server; asks it when nothing is known of it yet. */
  get(server: string): Promise<KnownLibrary>;
  /** The library, when it was used not long ago; `load` and `get` do that. */
  peek(server: string): KnownLibrary | undefined;
  /** What is known of these servers, of all when none are named, in the order of the configuration. Asks none of them. */
  load(servers?: readonly string[]): Promise<ReadonlyMap<string, KnownLibrary>>;
  /** The names of all tools that are known now, by server, in the order of the configuration. */
  toolNames(): Promise<readonly ServerNames[]>;
  /** The tools whose names look most like the query, each behind its server; of one server when it is named. */
  similarNames(query: string, most: number, server?: string): readonly string[];
  /** What was left out of the tools that the server has listed since the start. */
  skipped(server: string): readonly Skipped[];
  /** Ranked search over what is known now. */
  readonly search: Search["find"];
  /** Servers of which nothing is known, and why; those that were never asked have not failed. */
  missing(): Promise<{ readonly server: string; readonly reason: string; readonly failed: boolean }[]>;
  /** Asks every server of which nothing is known, a few at a time. Each failure is kept for `missing`. */
  discover(): Promise<void>;
  /** Asks the server again in the background, once in a process's life, now that it runs anyway. */
  freshen(server: string): void;
  /** Asks the server again. */
  refresh(server: string): Promise<KnownLibrary>;
  /** These are the servers from now on; what is known of those that stay as they are stays known. */
  update(servers: readonly ServerConfig[], leftOut?: readonly LeftOutServer[]): void;
  /** Keeps what a server has told, for when it becomes one of these. */
  learn(server: ServerConfig, listing: { readonly tools: unknown; readonly info?: unknown }): Promise<void>;
}

export interface LibrariesOptions {
  readonly servers: readonly ServerConfig[];
  readonly leftOut?: readonly LeftOutServer[];
  readonly door: Pick<Door, "listTools">;
  readonly cache: CatalogCache;
  /** The server's tools are others, or say something else, than when it was last asked. */
  onRedefined?(identity: string, before: readonly Tool[], after: readonly Tool[]): Promise<void>;
}

export function createLibraries(options: LibrariesOptions): Libraries {
  const { cache } = options;
  const servers = createConfiguredServers();
  const known = createKnownLibraries(servers, cache);
  const search = createLibrarySearch({ servers, cache, peek: (server, tool) => known.peek(server)?.tools.get(tool) });
  const asking = createAsking(options, { servers, known, search });
  let modules: Libraries["modules"] = [];
  let discovering: Promise<void> | undefined;
  const missing: Libraries["missing"] = async () => {
    await search.ready();
    const unanswered = servers
      .all()
      .filter(({ name }) => !search.has(name))
      .map(({ name }) => {
        const failure = asking.failureOf(name);
        return { server: name, reason: failure ?? "it has not answered yet", failed: failure !== undefined };
      });
    return [...unanswered, ...servers.leftOut().map(({ name, reason }) => ({ server: name, reason, failed: true }))];
  };
  const libraries: Libraries = {
    server: (name) => servers.demand(name).config,
    identity: (server) => servers.get(server)?.identity ?? "",
    get modules() {
      return modules;
    },
    get leftOut() {
      return servers.leftOut();
    },
    async inventory(most) {
      const first = servers.all().slice(0, most);
      const summaries = await cache.summaries(first.map(({ identity }) => identity));
      return first.map((server) => inventoryEntry(server, summaries.get(server.identity)));
    },
    async get(name) {
      servers.demand(name);
      return known.peek(name) ?? (await known.load([name])).get(name) ?? asking.refresh(name);
    },
    peek: known.peek,
    load: known.load,
    async toolNames() {
      await search.ready();
      return search.names();
    },
    similarNames: search.similar,
    skipped: known.skipped,
    search: search.find,
    missing,
    async discover() {
      const unknown = (await missing()).flatMap(({ server }) => (servers.get(server) ? [server] : []));
      discovering ??= askServers(asking, unknown).then(() => {
        discovering = undefined;
      });
      return discovering;
    },
    freshen: asking.freshen,
    refresh: asking.refresh,
    update(wanted, leftOut) {
      const changed = servers.update(wanted, leftOut);
      modules = servers.all().map(({ name, module }) => ({ name, module }));
      known.forget(changed);
      search.forget(changed);
      asking.forget(changed);
    },
    async learn(server, { tools, info }) {
      const read = readTools(tools).tools;
      await cache.write(serverIdentity(server), {
        tools: read,
        info,
        digest: packDigest(digestTools(read, searchTable())),
      });
    },
  };

  libraries.update(options.servers, options.leftOut);
  return libraries;
}

/** Asks servers for their tools, each once at a time, and keeps what they say. */
function createAsking(
  { door, cache, onRedefined }: LibrariesOptions,
  { servers, known, search }: { servers: ConfiguredServers; known: KnownLibraries; search: LibrarySearch },
) {
  const asking = new Map<string, Promise<KnownLibrary>>();
  const failures = new Map<string, string>();
  const fresh = new Set<string>();
  const ask = async (server: ConfiguredServer): Promise<KnownLibrary> => {
    const { name, identity } = server;
    try {
      const { tools, info, leftOut = [] } = await door.listTools(name, local);
      // What was read of it and not what was sent: that may be too large or too deep to be kept.
      const read = readTools(tools);
      const digest = digestTools(read.tools, searchTable());
      const before = await cache.write(identity, { tools: read.tools, info, digest: packDigest(digest) });
      if (before) await onRedefined?.(identity, before as readonly Tool[], read.tools);
      if (servers.has(server)) {
        fresh.add(name);
        failures.delete(name);
        search.put(server, digest, info);
      }
      return known.keep(server, { tools: read.tools, skipped: [...read.skipped, ...leftOut] }, info);
    } catch (thrown) {
      // What to do about a sign-in is part of the reason; a model is told only that.
      const needsSignIn = thrown instanceof CoordinatorError && thrown.code === "sign_in_needed";
      const reason = needsSignIn ? `${thrown.message} (${thrown.hint})` : messageOf(thrown);
      if (servers.has(server)) failures.set(name, reason);
      throw thrown;
    }
  };
  const refresh = (name: string): Promise<KnownLibrary> => {
    const under = asking.get(name);
    if (under) return under;
    const answer = ask(servers.demand(name)).finally(() => asking.get(name) === answer && asking.delete(name));
    asking.set(name, answer);
    return answer;
  };
  return {
    refresh,
    failureOf: (name: string) => failures.get(name),
    freshen(name: string): void {
      // A server may be taken out of the configuration while a call to it is under way.
      if (fresh.has(name) || !servers.get(name)) return;
      fresh.add(name);
      refresh(name).catch(() => fresh.delete(name)); // the cached library goes on serving
    },
    forget(names: readonly string[]): void {
      for (const name of names) for (const forgetful of [asking, failures, fresh]) forgetful.delete(name);
    },
  };
}

function inventoryEntry(
  { name, config, module }: ConfiguredServer,
  summary?: { toolCount: number; info: unknown },
): InventoryEntry {
  const { description } = libraryOf(config, { tools: [], info: infoOf(summary?.info) }, module);
  return { name, module, description, ...(summary && { tools: summary.toolCount }) };
}

const mostNamed = 30;

/** The tool of that exact name; throws tool_unknown with the nearest. */
export function findTool({ library, tools }: KnownLibrary, name: string): Tool {
  const tool = tools.get(name);
  if (tool) return tool;
  const close = nearest(name, tools.keys());
  throw new CoordinatorError("tool_unknown", `The server "${library.server}" has no tool "${name}"`, {
    hint: close ? `Did you mean "${close}"?` : `It has: ${[...tools.keys()].slice(0, mostNamed).join(", ")}.`,
  });
}
