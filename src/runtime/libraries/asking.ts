import { type Actor, local } from "../../actor.ts";
import { type ReadTools, readTools } from "../../catalog/read-tools.ts";
import { digestTools, packDigest } from "../../catalog/search/search-digest.ts";
import type { Tool } from "../../catalog/tool.ts";
import type { Door } from "../../door/door.ts";
import { CoordinatorError, messageOf } from "../../errors.ts";
import type { CatalogCache } from "./catalog-cache.ts";
import type { ConfiguredServer, ConfiguredServers } from "./configured-servers.ts";
import type { KnownLibraries, KnownLibrary } from "./known-libraries.ts";
import type { LibrarySearch } from "./library-search.ts";
import { searchTable } from "./search-table.ts";

interface Listing {
  readonly tools: readonly Tool[];
  readonly info: unknown;
}

export interface AskingOptions {
  readonly door: Pick<Door, "listTools">;
  readonly cache: CatalogCache;
  /** Holds what a server lists to what was accepted of it; gives what is to be shown. */
  readonly review?: ((server: string, listing: Listing) => Promise<Listing>) | undefined;
  /** The server's tools are others, or say something else, than when it was last asked. */
  onRedefined?(identity: string, before: readonly Tool[], after: readonly Tool[]): Promise<void>;
}

interface Known {
  readonly servers: ConfiguredServers;
  readonly known: KnownLibraries;
  readonly search: LibrarySearch;
}

/** Asks servers for their tools, each once at a time, and keeps what they say. */
export function createAsking(options: AskingOptions, places: Known) {
  const { door, review } = options;
  const { servers } = places;
  const asking = new Map<string, Promise<KnownLibrary>>();
  const failures = new Map<string, string>();
  const fresh = new Set<string>();
  const shelf = createShelf(options, places);
  const ask = async (server: ConfiguredServer, actor: Actor): Promise<KnownLibrary> => {
    const { name } = server;
    try {
      const { tools, info, leftOut = [] } = await door.listTools(name, askedFor(actor));
      // What was read of it and not what was sent: that may be too large or too deep to be kept.
      const read = readTools(tools);
      const listing = { tools: read.tools, info };
      const shown = review && servers.has(server) ? await review(name, listing) : listing;
      const skipped = [...read.skipped, ...leftOut];
      const library = await shelf.keep(server, { tools: [...shown.tools], skipped }, shown.info);
      if (servers.has(server)) {
        fresh.add(name);
        failures.delete(name);
      }
      return library;
    } catch (thrown) {
      if (servers.has(server)) failures.set(name, reasonOf(thrown));
      throw thrown;
    }
  };
  const refresh = (name: string, actor = local): Promise<KnownLibrary> => {
    const under = asking.get(name);
    if (under) return under;
    const answer = ask(servers.demand(name), actor).finally(() => asking.get(name) === answer && asking.delete(name));
    asking.set(name, answer);
    return answer;
  };
  return {
    refresh,
    remembered: shelf.remembered,
    redefine: shelf.redefine,
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

/** Where what servers offer is kept, and shown from. */
function createShelf({ cache, onRedefined }: AskingOptions, { servers, known, search }: Known) {
  const keep = async (
    server: ConfiguredServer,
    { tools, skipped }: ReadTools,
    info: unknown,
  ): Promise<KnownLibrary> => {
    const { identity } = server;
    const digest = digestTools(tools, searchTable());
    const before = await cache.write(identity, { tools, info, digest: packDigest(digest) });
    if (before) await onRedefined?.(identity, before as readonly Tool[], tools);
    if (servers.has(server)) search.put(server, digest, info);
    return known.keep(server, { tools, skipped }, info);
  };
  const entryOf = async ({ identity }: ConfiguredServer) => (await cache.read([identity])).get(identity);
  return {
    keep,
    async remembered(name: string): Promise<readonly Tool[] | undefined> {
      const entry = await entryOf(servers.demand(name));
      return entry && readTools(entry.tools).tools;
    },
    async redefine(name: string, tools: ReadonlyMap<string, Tool | undefined>): Promise<void> {
      const server = servers.demand(name);
      const entry = await entryOf(server);
      if (!entry) return;
      const known = new Map(readTools(entry.tools).tools.map((tool) => [tool.name, tool]));
      const names = new Set([...known.keys(), ...tools.keys()]);
      const redefined = [...names].flatMap((tool) => (tools.has(tool) ? tools.get(tool) : known.get(tool)) ?? []);
      // Read again: which names guests have for tools depends on the others.
      await keep(server, readTools(redefined), entry.info);
    },
  };
}

/** A model is told no more than the reason, so what to do is a part of it where only the user can do it. */
function reasonOf(thrown: unknown): string {
  const isTheUsers = thrown instanceof CoordinatorError && usersMatters.has(thrown.code);
  if (!isTheUsers) return messageOf(thrown);
  // What is shown may be cut, and what to do must not be.
  return thrown.code === "sign_in_needed" ? `${thrown.message} (${thrown.hint})` : `${thrown.hint} (${thrown.message})`;
}

const usersMatters: ReadonlySet<string> = new Set(["sign_in_needed", "server_unaccepted", "server_changed"]);

/** A list is asked for once for all who want it; the one who asked first may have to agree to the start of its server. */
function askedFor({ client, caller, via }: Actor): Actor {
  return { ...local, client, caller, via };
}
