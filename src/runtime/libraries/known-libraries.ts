import { libraryOf, type ServerListing } from "../../catalog/library.ts";
import { type ReadTools, readTools, type Skipped } from "../../catalog/read-tools.ts";
import { createSearch, type Search } from "../../catalog/search.ts";
import type { Library, Tool } from "../../catalog/tool.ts";
import type { CatalogCache } from "./catalog-cache.ts";
import type { ConfiguredServer, ConfiguredServers } from "./configured-servers.ts";

/** A library and its tools by their exact names. */
export interface KnownLibrary {
  readonly library: Library;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly skipped: readonly Skipped[];
}

/** The libraries of configured servers as far as they are known: from the cache, or from what they have said since. */
export interface KnownLibraries {
  /** When it was read or said before. */
  peek(server: string): KnownLibrary | undefined;
  /** Reads what the cache has of these servers, of all when none are named. */
  load(servers?: readonly string[]): Promise<void>;
  all(): Promise<readonly Library[]>;
  readonly search: Search["find"];
  keep(server: ConfiguredServer, tools: ReadTools, info: unknown): KnownLibrary;
  /** The configuration has changed, and with it these servers. */
  forget(servers: readonly string[]): void;
}

export function createKnownLibraries(servers: ConfiguredServers, cache: CatalogCache): KnownLibraries {
  const listed = new Map<string, KnownLibrary>();
  /** Servers of which the cache was asked. */
  const looked = new Set<string>();
  let search: Search | undefined;

  const keep = (server: ConfiguredServer, { tools, skipped }: ReadTools, info: unknown): KnownLibrary => {
    const library = libraryOf(server.config, { tools, info: infoOf(info) }, server.module);
    const entry = { library, skipped, tools: new Map(library.tools.map((tool) => [tool.name, tool])) };
    // While it was asked, the configuration may have changed.
    if (!servers.has(server)) return entry;
    listed.set(server.name, entry);
    search = undefined;
    return entry;
  };
  const load: KnownLibraries["load"] = async (names) => {
    const wanted = (names?.flatMap((name) => servers.get(name) ?? []) ?? servers.all()).filter(
      ({ name }) => !listed.has(name) && !looked.has(name),
    );
    if (wanted.length === 0) return;
    const identities = wanted.map(({ identity }) => identity);
    const found = await cache.read(identities);
    for (const server of wanted) {
      const entry = found.get(server.identity);
      if (servers.has(server)) looked.add(server.name);
      // What the server itself has said meanwhile is newer.
      if (entry && !listed.has(server.name)) keep(server, readTools(entry.tools), entry.info);
    }
    if (!names) await cache.touch(identities);
  };
  const all: KnownLibraries["all"] = async () => {
    await load();
    return servers.all().flatMap(({ name }) => listed.get(name)?.library ?? []);
  };
  return {
    keep,
    load,
    all,
    peek: (name) => listed.get(name),
    async search(query, match, options) {
      const known = await all();
      search ??= createSearch(known);
      return search.find(query, match, options);
    },
    forget(names) {
      for (const name of names) for (const forgetful of [listed, looked]) forgetful.delete(name);
      search = undefined;
    },
  };
}

/** What a server said of itself, which may be anything. */
export function infoOf(info: unknown): ServerListing["info"] {
  return typeof info === "object" && info !== null ? info : {};
}
