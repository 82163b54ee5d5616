import { allowed } from "../../catalog/glob.ts";
import { libraryOf } from "../../catalog/library.ts";
import { readPattern } from "../../catalog/pattern.ts";
import { readTools } from "../../catalog/read-tools.ts";
import { deprecatedLast } from "../../catalog/search/deprecated.ts";
import type { ToolMatch } from "../../catalog/search/rank-tools.ts";
import {
  defaultLimit,
  type FoundTools,
  type Match,
  type Search,
  type SearchOptions,
} from "../../catalog/search/search.ts";
import { digestTools, packDigest, type SearchDigest, unpackDigest } from "../../catalog/search/search-digest.ts";
import { createToolSearch } from "../../catalog/search/tool-search.ts";
import type { Library, Tool } from "../../catalog/tool.ts";
import { createThreadYield } from "../../system/thread-yield.ts";
import type { CatalogCache } from "./catalog-cache.ts";
import { type ConfiguredServer, type ConfiguredServers, infoOf } from "./configured-servers.ts";
import { matchTools } from "./match-tools.ts";
import { searchTable } from "./search-table.ts";

/** The search over what is known of all configured servers. It holds no definitions: those of what was found are read then. */
export interface LibrarySearch {
  /** Whether what the server offers can be found. */
  has(server: string): boolean;
  /** Reads what the cache has of servers that it was not asked of before, a little at a time. */
  ready(): Promise<void>;
  /** The tools of a server are these from now on. */
  put(server: ConfiguredServer, digest: SearchDigest, info: unknown): void;
  /** The configuration has changed, and with it these servers. */
  forget(servers: readonly string[]): void;
  /** The names of all tools, by server, in the order of the configuration. */
  names(): readonly ServerNames[];
  /** The tools whose names look most like the query, each behind its server. */
  similar(query: string, most: number, server?: string): readonly string[];
  readonly find: Search["find"];
}

/** The names of a server's tools. */
export interface ServerNames {
  readonly server: string;
  readonly names: readonly string[];
}

interface Sources {
  readonly servers: ConfiguredServers;
  readonly cache: CatalogCache;
  /** A tool whose definition is in memory. */
  peek(server: string, tool: string): Tool | undefined;
}

/** For so long others wait while the cache is read. */
const sliceMs = 5;
const readAtATime = 25;

export function createLibrarySearch(sources: Sources): LibrarySearch {
  const { servers, cache } = sources;
  const search = createToolSearch(searchTable);
  const libraries = new Map<string, Library>();
  const put: LibrarySearch["put"] = ({ name, config, module }, digest, info) => {
    const library = libraryOf(config, { tools: [], info: infoOf(info) }, module);
    libraries.set(name, library);
    search.put(name, { ...library, digest, isAllowed: (tool) => allowed(tool, config.tools) });
  };
  const reading = createReading(sources, (server, digest, info) => {
    // What the server itself has said meanwhile is newer.
    if (servers.has(server) && !search.has(server.name)) put(server, digest, info);
  });
  const forget: LibrarySearch["forget"] = (names) => {
    reading.forget(names);
    for (const name of names) libraries.delete(name);
    search.drop(names);
  };
  const findOnce = async (query: string, match: Match, { server, limit = defaultLimit }: SearchOptions) => {
    await reading.ready();
    const asked = servers.all().filter(({ name, module }) => [undefined, name, module].includes(server));
    const pattern = readPattern(query);
    const { matches, also, ...found } =
      pattern === undefined
        ? search.search(query, asked.map(nameOf), limit)
        : await matchTools(pattern, match, { servers: asked, cache, limit });
    return {
      ...found,
      ...(await defineMatches(matches, libraries, sources)),
      also: also.map(({ key, names }) => ({ server: key, names })),
    };
  };
  return {
    has: search.has,
    ready: reading.ready,
    put,
    forget,
    names() {
      const known = servers.all().filter(({ name }) => search.has(name));
      return known.map(({ name }) => ({ server: name, names: search.names(name) }));
    },
    similar(query, most, server) {
      const among = servers
        .all()
        .map(nameOf)
        .filter((name) => server === undefined || name === server);
      return search.similar(query, among, most).map(({ key, name }) => `${key}.${name}`);
    },
    async find(query, match, options = {}) {
      const first = await findOnce(query, match, options);
      if (first.stale.length > 0) forget(first.stale);
      const { stale: _stale, ...found } = first.stale.length > 0 ? await findOnce(query, match, options) : first;
      return found;
    },
  };
}

/** Reads the digests that the cache has, a little at a time, of each server once. */
function createReading(
  { servers, cache }: Sources,
  onDigest: (server: ConfiguredServer, digest: SearchDigest, info: unknown) => void,
) {
  /** Servers of which the cache was asked. */
  const looked = new Set<string>();
  let reading: Promise<void> | undefined;
  const unlooked = () => servers.all().filter(({ name }) => !looked.has(name));
  const read = async (): Promise<void> => {
    const pause = createThreadYield(sliceMs);
    for (let waiting = unlooked(); waiting.length > 0; waiting = unlooked()) {
      const wanted = waiting.slice(0, readAtATime);
      const kept = await cache.digests(wanted.map(({ identity }) => identity));
      for (const server of wanted) {
        await pause();
        const entry = kept.get(server.identity);
        const digest = entry && (unpackDigest(entry.digest) ?? (await digestAgain(cache, server.identity)));
        if (digest) onDigest(server, digest, entry.info);
        looked.add(server.name);
      }
    }
    await cache.touch(servers.all().map(({ identity }) => identity));
  };
  return {
    async ready(): Promise<void> {
      if (reading === undefined && unlooked().length === 0) return;
      reading ??= read().finally(() => {
        reading = undefined;
      });
      await reading;
    },
    forget(names: readonly string[]): void {
      for (const name of names) looked.delete(name);
    },
  };
}

/** What was found, with the definitions. `stale` are servers of which the cache has other tools by now: another process has asked them. */
async function defineMatches(
  matches: readonly ToolMatch[],
  libraries: ReadonlyMap<string, Library>,
  { servers, cache, peek }: Sources,
) {
  /** What was found in one library has that one library. */
  const shown = new Map<string, Library & { readonly tools: Tool[] }>();
  const results: FoundTools["results"] = [];
  const stale: string[] = [];
  for (const { key, name, identifier, position, score } of matches) {
    const identity = servers.get(key)?.identity ?? "";
    const kept = peek(key, name) ?? readTools([await cache.tool(identity, position)]).tools[0];
    const known = libraries.get(key);
    if (kept?.name !== name || !known) {
      stale.push(key);
      continue;
    }
    const library = shown.get(key) ?? { ...known, tools: [] };
    shown.set(key, library);
    const tool = { ...kept, identifier };
    library.tools.push(tool);
    results.push({ library, tool, score });
  }
  return { results: deprecatedLast(results), stale };
}

function nameOf({ name }: ConfiguredServer): string {
  return name;
}

/** What an older program has kept was made in another way, or not at all. */
async function digestAgain(cache: CatalogCache, identity: string): Promise<SearchDigest | undefined> {
  const entry = (await cache.read([identity])).get(identity);
  if (!entry) return undefined;
  const digest = digestTools(readTools(entry.tools).tools, searchTable());
  await cache.keepDigest(identity, entry.fetchedAt, packDigest(digest));
  return digest;
}
