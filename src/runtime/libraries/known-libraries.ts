import { libraryOf } from "../../catalog/library.ts";
import { type ReadTools, readTools, type Skipped } from "../../catalog/read-tools.ts";
import type { Library, Tool } from "../../catalog/tool.ts";
import type { CatalogCache } from "./catalog-cache.ts";
import { type ConfiguredServer, type ConfiguredServers, infoOf } from "./configured-servers.ts";
import { createRecentLibraries } from "./recent-libraries.ts";

/** A library and its tools by their exact names. */
export interface KnownLibrary {
  readonly library: Library;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly skipped: readonly Skipped[];
}

/** The libraries of configured servers as far as they are known: from the cache, or from what they have said since. */
export interface KnownLibraries {
  /** When it was read or said before, and not long ago. */
  peek(server: string): KnownLibrary | undefined;
  /** What is known of these servers, of all when none are named, in the order of the configuration. */
  load(servers?: readonly string[]): Promise<ReadonlyMap<string, KnownLibrary>>;
  keep(server: ConfiguredServer, tools: ReadTools, info: unknown): KnownLibrary;
  /** What was left out of the tools that the server has listed since the start. */
  skipped(server: string): readonly Skipped[];
  /** The configuration has changed, and with it these servers. */
  forget(servers: readonly string[]): void;
}

export function createKnownLibraries(servers: ConfiguredServers, cache: CatalogCache): KnownLibraries {
  const recent = createRecentLibraries<KnownLibrary>();
  const skipped = new Map<string, readonly Skipped[]>();

  const keep: KnownLibraries["keep"] = (server, read, info) => {
    const library = libraryOf(server.config, { tools: read.tools, info: infoOf(info) }, server.module);
    const tools = new Map(library.tools.map((tool) => [tool.name, tool]));
    const entry = { library, skipped: read.skipped, tools };
    // While it was asked, the configuration may have changed.
    if (!servers.has(server)) return entry;
    recent.set(server.name, entry);
    if (read.skipped.length > 0) skipped.set(server.name, read.skipped);
    else skipped.delete(server.name);
    return entry;
  };
  /** What was left out when the server listed them is not among those that are kept. */
  const readAgain = (name: string, tools: readonly unknown[]): ReadTools => {
    const read = readTools(tools);
    return { ...read, skipped: [...(skipped.get(name) ?? read.skipped)] };
  };
  return {
    peek: recent.get,
    keep,
    skipped: (name) => skipped.get(name) ?? [],
    async load(names) {
      const named = names && new Set(names);
      const wanted = servers.all().filter(({ name }) => named?.has(name) ?? true);
      const unread = wanted.filter(({ name }) => !recent.get(name)).map(({ identity }) => identity);
      const entries = unread.length > 0 ? await cache.read(unread) : new Map();
      const found = new Map<string, KnownLibrary>();
      for (const server of wanted) {
        const entry = entries.get(server.identity);
        // What the server itself has said meanwhile is newer.
        const known =
          recent.get(server.name) ?? (entry && keep(server, readAgain(server.name, entry.tools), entry.info));
        if (known) found.set(server.name, known);
      }
      return found;
    },
    forget(names) {
      for (const name of names) for (const forgetful of [recent, skipped]) forgetful.delete(name);
    },
  };
}
