import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { modules } from "../../catalog/library.ts";
import { plainLine } from "../../catalog/plain-text.ts";
import type { ServerConfig } from "../../config/server.ts";
import { CoordinatorError } from "../../errors.ts";
import { nearest } from "../../system/nearest.ts";

/** The servers of the configuration, which may change: each with the module it becomes and the hash it is known by. */
export interface ConfiguredServers {
  readonly all: readonly ServerConfig[];
  /** Throws server_unknown with the nearest name. */
  get(name: string): ServerConfig;
  /** Whether it is configured, and still as it was. */
  has(server: ServerConfig): boolean;
  peek(name: string): ServerConfig | undefined;
  module(name: string): string;
  identity(name: string): string;
  /** Answers the names of which nothing that was known holds any more. */
  update(wanted: readonly ServerConfig[]): readonly string[];
}

export function createConfiguredServers(): ConfiguredServers {
  let byName = new Map<string, ServerConfig>();
  let moduleNames = modules([]);
  let identities = new Map<string, string>();
  return {
    get all() {
      return [...byName.values()];
    },
    get(name) {
      const server = byName.get(name);
      if (server) return server;
      const close = nearest(name, byName.keys());
      throw new CoordinatorError("server_unknown", `No server "${plainLine(name, 200)}" is configured`, {
        hint: close ? `Did you mean "${close}"?` : `Configured: ${[...byName.keys()].join(", ") || "none"}.`,
      });
    },
    has: (server) => byName.get(server.name) === server,
    peek: (name) => byName.get(name),
    module: (name) => moduleNames.get(name) ?? name,
    identity: (name) => identities.get(name) ?? "",
    update(wanted) {
      const [before, modulesBefore] = [byName, moduleNames];
      const servers = wanted.map((server) => {
        const known = before.get(server.name);
        return known && isDeepStrictEqual(known, server) ? known : server;
      });
      byName = new Map(servers.map((server) => [server.name, server]));
      moduleNames = modules([...byName.keys()]);
      identities = new Map(servers.map((server) => [server.name, identityOf(server)]));
      const isOther = (name: string) =>
        before.get(name) !== byName.get(name) || modulesBefore.get(name) !== moduleNames.get(name);
      return [...new Set([...before.keys(), ...byName.keys()])].filter(isOther);
    },
  };
}

/** All that makes a server the same one: how it is started or reached, and with what. Hashed, since it holds secrets. */
export function identityOf(server: ServerConfig): string {
  const { name: _name, description: _description, tools: _tools, limits: _limits, ...reach } = server;
  return createHash("sha256").update(JSON.stringify(reach)).digest("hex");
}
