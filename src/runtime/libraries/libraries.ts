import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { local } from "../../actor.ts";
import { libraryOf, modules } from "../../catalog/library.ts";
import { plainLine } from "../../catalog/plain-text.ts";
import { type ReadTools, readTools } from "../../catalog/read-tools.ts";
import { createSearch, type Search } from "../../catalog/search.ts";
import type { Library, Tool } from "../../catalog/tool.ts";
import type { ServerConfig } from "../../config/server.ts";
import type { Door } from "../../door/door.ts";
import { CoordinatorError, messageOf } from "../../errors.ts";
import type { CatalogCache } from "../../store/catalog-cache.ts";
import { nearest } from "../../system/nearest.ts";
import { askServers } from "./ask-servers.ts";
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
  readonly inventory: readonly InventoryEntry[];
  /** The library of one server; asks it when nothing is known of it yet. */
  get(server: string): Promise<Listed>;
  /** The library as far as it is known now. */
  peek(server: string): Listed | undefined;
  /** Every library that is known now, in the order of the configuration. */
  known(): readonly Library[];
  /** Ranked search over what is known now. */
  readonly search: Search["find"];
  /** Servers of which nothing is known, and why; those that were never asked have not failed. */
  missing(): { readonly server: string; readonly reason: string; readonly failed: boolean }[];
  /** Asks every server of which nothing is known, a few at a time. Each failure is kept for `missing`. */
  discover(): Promise<void>;
  /** Asks the server again in the background, once in a process's life, now that it runs anyway. */
  freshen(server: string): void;
  /** Asks the server again. */
  refresh(server: string): Promise<Listed>;
  /** These are the servers from now on; what is known of those that stay as they are stays known. */
  update(servers: readonly ServerConfig[]): void;
  /** Keeps what a server has told, for when it becomes one of these. */
  learn(server: ServerConfig, listing: { readonly tools: unknown; readonly info?: unknown }): void;
}

export interface LibrariesOptions {
  readonly servers: readonly ServerConfig[];
  readonly door: Pick<Door, "listTools">;
  readonly cache: CatalogCache;
  /** The server's tools are others, or say something else, than when it was last asked. */
  onRedefined?(identity: string, before: readonly Tool[], after: readonly Tool[]): void;
}

export function createLibraries({ servers: initial, door, cache, onRedefined }: LibrariesOptions): Libraries {
  let servers: readonly ServerConfig[] = [];
  let configs = new Map<string, ServerConfig>();
  let moduleNames = modules([]);
  let identities = new Map<string, string>();
  const listed = new Map<string, Listed>();
  const asking = new Map<string, Promise<Listed>>();
  const failures = new Map<string, string>();
  const fresh = new Set<string>();
  let allRead = false;
  let discovering: Promise<void> | undefined;
  let search: Search | undefined;

  const moduleOf = (server: string): string => moduleNames.get(server) ?? server;
  const identity = (server: string): string => identities.get(server) ?? "";
  const keep = (server: ServerConfig, { tools, skipped }: ReadTools, serverInfo: unknown): Listed => {
    const info = (serverInfo ?? {}) as { title?: unknown; instructions?: unknown };
    const library = libraryOf(server, { tools, info }, moduleOf(server.name));
    const entry = { library, skipped, tools: new Map(library.tools.map((tool) => [tool.name, tool])) };
    // While it was asked, the configuration may have changed.
    if (configs.get(server.name) !== server) return entry;
    listed.set(server.name, entry);
    search = undefined;
    return entry;
  };
  const ask = async (server: ServerConfig): Promise<Listed> => {
    try {
      const { tools, info, leftOut = [] } = await door.listTools(server.name, local);
      // What was read of it and not what was sent: that may be too large or too deep to be kept.
      const read = readTools(tools);
      const before = cache.write(identityOf(server), { tools: read.tools, info });
      if (before) onRedefined?.(identityOf(server), before as readonly Tool[], read.tools);
      if (configs.get(server.name) === server) {
        fresh.add(server.name);
        failures.delete(server.name);
      }
      return keep(server, { tools: read.tools, skipped: [...read.skipped, ...leftOut] }, info);
    } catch (thrown) {
      // What to do about a sign-in is part of the reason; a model is told only that.
      const needsSignIn = thrown instanceof CoordinatorError && thrown.code === "sign_in_needed";
      const reason = needsSignIn ? `${thrown.message} (${thrown.hint})` : messageOf(thrown);
      if (configs.get(server.name) === server) failures.set(server.name, reason);
      throw thrown;
    }
  };
  const libraries: Libraries = {
    server(name) {
      const server = configs.get(name);
      if (server) return server;
      const close = nearest(name, configs.keys());
      throw new CoordinatorError("server_unknown", `No server "${plainLine(name, 200)}" is configured`, {
        hint: close ? `Did you mean "${close}"?` : `Configured: ${[...configs.keys()].join(", ") || "none"}.`,
      });
    },
    identity,
    get modules() {
      return servers.map(({ name }) => ({ name, module: moduleOf(name) }));
    },
    get inventory() {
      const summaries = cache.summaries(identities.values());
      return servers.map((server) =>
        inventoryEntry(server, moduleOf(server.name), summaries.get(identity(server.name))),
      );
    },
    async get(name) {
      const server = libraries.server(name);
      return libraries.peek(name) ?? libraries.refresh(server.name);
    },
    peek(name) {
      const known = listed.get(name);
      const server = configs.get(name);
      if (known || !server || allRead) return known;
      const cached = cache.read(identity(name));
      return cached && keep(server, readTools(cached.tools), cached.info);
    },
    known() {
      if (!allRead) {
        for (const [key, entry] of cache.readMany(identities.values())) {
          const server = servers.find(({ name }) => identity(name) === key && !listed.has(name));
          if (server) keep(server, readTools(entry.tools), entry.info);
        }
        cache.touch(identities.values());
        allRead = true;
      }
      return servers.flatMap(({ name }) => listed.get(name)?.library ?? []);
    },
    async search(query, match, options) {
      const known = libraries.known();
      search ??= createSearch(known);
      return search.find(query, match, options);
    },
    missing() {
      libraries.known();
      return servers
        .filter(({ name }) => !listed.has(name))
        .map(({ name }) => ({
          server: name,
          reason: failures.get(name) ?? "it has not answered yet",
          failed: failures.has(name),
        }));
    },
    discover() {
      const unknown = libraries.missing().map(({ server }) => server);
      discovering ??= askServers(libraries, unknown).then(() => {
        discovering = undefined;
      });
      return discovering;
    },
    freshen(name) {
      // A server may be taken out of the configuration while a call to it is under way.
      if (fresh.has(name) || !configs.has(name)) return;
      fresh.add(name);
      libraries.refresh(name).catch(() => fresh.delete(name)); // the cached library goes on serving
    },
    refresh(name) {
      const under = asking.get(name);
      if (under) return under;
      const answer = ask(libraries.server(name)).finally(() => asking.get(name) === answer && asking.delete(name));
      asking.set(name, answer);
      return answer;
    },
    update(wanted) {
      const [before, modulesBefore] = [configs, moduleNames];
      servers = wanted.map((server) => {
        const known = before.get(server.name);
        return known && isDeepStrictEqual(known, server) ? known : server;
      });
      configs = new Map(servers.map((server) => [server.name, server]));
      moduleNames = modules([...configs.keys()]);
      identities = new Map(servers.map((server) => [server.name, identityOf(server)]));
      for (const name of new Set([...before.keys(), ...configs.keys()])) {
        if (before.get(name) === configs.get(name) && modulesBefore.get(name) === moduleNames.get(name)) continue;
        for (const forgetful of [listed, asking, failures, fresh]) forgetful.delete(name);
      }
      search = undefined;
      allRead = false;
    },
    learn(server, { tools, info }) {
      cache.write(identityOf(server), { tools: readTools(tools).tools, info });
    },
  };

  libraries.update(initial);
  return libraries;
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

/** All that makes a server the same one: how it is started or reached, and with what. Hashed, since it holds secrets. */
function identityOf(server: ServerConfig): string {
  const { name: _name, description: _description, tools: _tools, limits: _limits, ...reach } = server;
  return createHash("sha256").update(JSON.stringify(reach)).digest("hex");
}
