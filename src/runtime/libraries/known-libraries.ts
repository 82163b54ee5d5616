import { libraryOf, type ServerListing } from "../../catalog/library.ts";
import { type ReadTools, readTools, type Skipped } from "../../catalog/read-tools.ts";
import { createSearch, type Search } from "../../catalog/search.ts";
import type { Library, Tool } from "../../catalog/tool.ts";
import type { CatalogCache } from "../../store/catalog-cache.ts";
import type { ConfiguredServer, ConfiguredServers } from "./configured-servers.ts";

/** A library and its tools by their exact names. */
export interface Listed {
  readonly library: Library;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly skipped: readonly Skipped[];
}

/** The libraries of configured servers as far as they are known: from the cache, or from what they have said since. */
export interface KnownLibraries {
  peek(server: string): Listed | undefined;
  all(): readonly Library[];
  readonly search: Search["find"];
  keep(server: ConfiguredServer, tools: ReadTools, info: unknown): Listed;
  /** The configuration has changed, and with it these servers. */
  forget(servers: readonly string[]): void;
}

export function createKnownLibraries(servers: ConfiguredServers, cache: CatalogCache): KnownLibraries {
  const listed = new Map<string, Listed>();
  let allRead = false;
  let search: Search | undefined;

  const keep = (server: ConfiguredServer, { tools, skipped }: ReadTools, info: unknown): Listed => {
    const library = libraryOf(server.config, { tools, info: infoOf(info) }, server.module);
    const entry = { library, skipped, tools: new Map(library.tools.map((tool) => [tool.name, tool])) };
    // While it was asked, the configuration may have changed.
    if (!servers.has(server)) return entry;
    listed.set(server.name, entry);
    search = undefined;
    return entry;
  };
  const all = (): readonly Library[] => {
    if (!allRead) {
      const identities = servers.all().map(({ identity }) => identity);
      for (const [key, entry] of cache.readMany(identities)) {
        const server = servers.all().find(({ name, identity }) => identity === key && !listed.has(name));
        if (server) keep(server, readTools(entry.tools), entry.info);
      }
      cache.touch(identities);
      allRead = true;
    }
    return servers.all().flatMap(({ name }) => listed.get(name)?.library ?? []);
  };
  return {
    keep,
    all,
    peek(name) {
      const known = listed.get(name);
      const server = servers.get(name);
      if (known || !server || allRead) return known;
      const cached = cache.read(server.identity);
      return cached && keep(server, readTools(cached.tools), cached.info);
    },
    async search(query, match, options) {
      const known = all();
      search ??= createSearch(known);
      return search.find(query, match, options);
    },
    forget(names) {
      for (const name of names) listed.delete(name);
      search = undefined;
      allRead = false;
    },
  };
}

/** What a server said of itself, which may be anything. */
export function infoOf(info: unknown): ServerListing["info"] {
  return typeof info === "object" && info !== null ? info : {};
}
