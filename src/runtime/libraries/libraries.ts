import type { Actor } from "../../actor.ts";
import { libraryOf } from "../../catalog/library.ts";
import { readTools, type Skipped } from "../../catalog/read-tools.ts";
import type { Search } from "../../catalog/search/search.ts";
import { digestTools, packDigest } from "../../catalog/search/search-digest.ts";
import type { Tool } from "../../catalog/tool.ts";
import type { LeftOutServer } from "../../config/left-out.ts";
import type { ServerConfig } from "../../config/server.ts";
import { CoordinatorError } from "../../errors.ts";
import { nearest } from "../../system/nearest.ts";
import { askServers } from "./ask-servers.ts";
import { type AskingOptions, createAsking } from "./asking.ts";
import {
  type ConfiguredServer,
  type ConfiguredServers,
  createConfiguredServers,
  infoOf,
  serverIdentity,
  type UnusableServer,
} from "./configured-servers.ts";
import { createKnownLibraries, type KnownLibrary } from "./known-libraries.ts";
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
  /** The library of one server; asks it when nothing is known of it yet, for the actor, who may have to agree to its start. */
  get(server: string, actor?: Actor): Promise<KnownLibrary>;
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
  /** What is kept of them is something else by now. */
  reload(servers: readonly string[]): void;
  /** These tools of a server are defined so from now on; those without a definition are not shown any more. */
  redefine(server: string, tools: ReadonlyMap<string, Tool | undefined>): Promise<void>;
  /** What is kept of a server's tools, those that its lists leave out among them. */
  remembered(server: string): Promise<readonly Tool[] | undefined>;
  /** Keeps what a server has told, for when it becomes one of these. */
  learn(server: ServerConfig, listing: { readonly tools: unknown; readonly info?: unknown }): Promise<void>;
}

export interface LibrariesOptions extends AskingOptions {
  readonly servers: readonly ServerConfig[];
  readonly leftOut?: readonly LeftOutServer[];
}

export function createLibraries(options: LibrariesOptions): Libraries {
  const { cache } = options;
  const servers = createConfiguredServers();
  const known = createKnownLibraries(servers, cache);
  const search = createLibrarySearch({ servers, cache, peek: (server, tool) => known.peek(server)?.tools.get(tool) });
  const asking = createAsking(options, { servers, known, search });
  let modules: Libraries["modules"] = [];
  let discovering: Promise<void> | undefined;
  const missing = createMissing(servers, search, asking.failureOf);
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
    async get(name, actor) {
      servers.demand(name);
      return known.peek(name) ?? (await known.load([name])).get(name) ?? asking.refresh(name, actor);
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
    refresh: (name) => asking.refresh(name),
    reload(names) {
      known.forget(names);
      search.forget(names);
    },
    redefine: asking.redefine,
    remembered: asking.remembered,
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

function createMissing(
  servers: ConfiguredServers,
  search: LibrarySearch,
  failureOf: (server: string) => string | undefined,
): Libraries["missing"] {
  return async () => {
    await search.ready();
    const unanswered = servers
      .all()
      .filter(({ name }) => !search.has(name))
      .map(({ name }) => {
        const failure = failureOf(name);
        return { server: name, reason: failure ?? "it has not answered yet", failed: failure !== undefined };
      });
    return [...unanswered, ...servers.leftOut().map(({ name, reason }) => ({ server: name, reason, failed: true }))];
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
