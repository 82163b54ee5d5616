import { plainLine } from "../catalog/plain-text.ts";
import { localName } from "../catalog/registry/local-name.ts";
import { type RegistryServer, readRegistryPage } from "../catalog/registry/server-json.ts";
import { CoordinatorError } from "../errors.ts";
import { nearest } from "../system/nearest.ts";
import { findInRegistry, readFromRegistry } from "../upstream/registry-client.ts";

/** Where servers are found: the snapshot that comes with this version, or the registry itself. */
export interface RegistrySource {
  /** All that may fit the words; they are ranked afterwards. */
  candidates(query: string): Promise<readonly RegistryServer[]>;
  /** Throws server_unknown with the nearest name. */
  named(name: string): Promise<RegistryServer>;
}

export const snapshot: RegistrySource = {
  candidates: readSnapshot,
  async named(name) {
    const servers = await readSnapshot();
    const exact = servers.find((server) => server.name === name);
    const also = servers.filter((server) => isCalled(server, name));
    const found = exact ?? (also.length === 1 ? also[0] : undefined);
    if (found) return found;
    const close = also.length > 1 ? also.map((server) => server.name).join(" or ") : nearestOf(name, servers);
    throw unknown(name, close, "`find --online` and `add --online` ask the registry itself.");
  },
};

export function onlineRegistry(url: string, signal: AbortSignal | undefined): RegistrySource {
  return {
    candidates: (query) => findInRegistry(query.split(/\s+/).filter(Boolean), { url, signal }),
    async named(name) {
      const found = await readFromRegistry(name, { url, signal });
      if (found) return found;
      throw unknown(name, undefined, "`find --online` finds names.");
    },
  };
}

let read: Promise<readonly RegistryServer[]> | undefined;

function readSnapshot(): Promise<readonly RegistryServer[]> {
  read ??= import("../catalog/registry/snapshot.json", { with: { type: "json" } }).then(
    ({ default: page }) => readRegistryPage(page).servers,
  );
  return read;
}

function isCalled({ name, packages }: RegistryServer, wanted: string): boolean {
  return (
    localName(name) === wanted ||
    name.endsWith(`/${wanted}`) ||
    (packages?.some(({ identifier }) => identifier === wanted) ?? false)
  );
}

function nearestOf(name: string, servers: readonly RegistryServer[]): string | undefined {
  const names = new Map(
    servers.flatMap((server) => [[server.name, server.name] as const, [localName(server.name), server.name] as const]),
  );
  const close = nearest(name, names.keys());
  return close && names.get(close);
}

function unknown(name: string, close: string | undefined, otherwise: string): CoordinatorError {
  return new CoordinatorError("server_unknown", `The registry has no server ${JSON.stringify(plainLine(name, 200))}`, {
    hint: `${close ? `Did you mean ${close}? ` : ""}${otherwise} Any server is added by its command: add NAME -- COMMAND ARGUMENTS`,
  });
}
