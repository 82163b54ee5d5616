import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { modules, type ServerListing } from "../../catalog/library.ts";
import { plainLine } from "../../catalog/plain-text.ts";
import type { LeftOutServer } from "../../config/left-out.ts";
import type { ServerConfig } from "../../config/server.ts";
import { CoordinatorError } from "../../errors.ts";
import { nearest } from "../../system/nearest.ts";

/** A server of the configuration, the module that it becomes, and what it is known under. */
export interface ConfiguredServer {
  readonly name: string;
  readonly config: ServerConfig;
  readonly module: string;
  readonly identity: string;
}

/** A server that cannot be used as it is configured, and the module that it would become. */
export interface UnusableServer extends LeftOutServer {
  readonly module: string;
}

/** The servers of the configuration as it is now. */
export interface ConfiguredServers {
  /** In the order of the configuration. */
  all(): readonly ConfiguredServer[];
  /** Those that cannot be used. */
  leftOut(): readonly UnusableServer[];
  get(name: string): ConfiguredServer | undefined;
  /** Throws server_unknown with the nearest name, server_left_out with the reason. */
  demand(name: string): ConfiguredServer;
  /** Whether it still is one of them, unchanged. */
  has(server: ConfiguredServer): boolean;
  /** Answers with the names of those that are new, gone or others than before. */
  update(wanted: readonly ServerConfig[], leftOut?: readonly LeftOutServer[]): readonly string[];
}

export function createConfiguredServers(): ConfiguredServers {
  let servers = new Map<string, ConfiguredServer>();
  let all: readonly ConfiguredServer[] = [];
  let unusable: readonly UnusableServer[] = [];
  return {
    all: () => all,
    leftOut: () => unusable,
    get: (name) => servers.get(name),
    demand(name) {
      const server = servers.get(name);
      if (server) return server;
      const without = unusable.find((one) => one.name === name);
      if (without) {
        throw new CoordinatorError("server_left_out", `The server "${name}" is left out: ${without.reason}`, {
          hint: without.fix,
        });
      }
      const close = nearest(name, servers.keys());
      throw new CoordinatorError("server_unknown", `No server "${plainLine(name, 200)}" is configured`, {
        hint: close ? `Did you mean "${close}"?` : `Configured: ${[...servers.keys()].join(", ") || "none"}.`,
      });
    },
    has: (server) => servers.get(server.name) === server,
    update(wanted, leftOut = []) {
      const before = servers;
      const moduleNames = modules([...wanted, ...leftOut].map(({ name }) => name));
      unusable = leftOut.map((one) => ({ ...one, module: moduleNames.get(one.name) ?? one.name }));
      servers = new Map(
        wanted.map((config) => {
          const { name } = config;
          const module = moduleNames.get(name) ?? name;
          const known = before.get(name);
          const isSame = known?.module === module && isDeepStrictEqual(known.config, config);
          return [name, isSame ? known : { name, config, module, identity: serverIdentity(config) }];
        }),
      );
      all = [...servers.values()];
      return [...new Set([...before.keys(), ...servers.keys()])].filter(
        (name) => before.get(name) !== servers.get(name),
      );
    },
  };
}

/** All that makes a server the same one: how it is started or reached, and with what. Hashed, since it holds secrets. */
export function serverIdentity(server: ServerConfig): string {
  const { name: _name, description: _description, tools: _tools, limits: _limits, ...reach } = server;
  return createHash("sha256").update(JSON.stringify(reach)).digest("hex");
}

/** What a server said of itself, which may be anything. */
export function infoOf(info: unknown): ServerListing["info"] {
  return typeof info === "object" && info !== null ? info : {};
}
