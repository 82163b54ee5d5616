import type { Services } from "../operations/services.ts";
import type { ListKind } from "../upstream/list-pages.ts";
import { type Named, publicNames } from "./exposed-names.ts";
import { type ExposedList, type ExposedServer, type Hints, listServer } from "./exposed-server.ts";

export type NamedKind = "tools" | "prompts";
export type ExposedItem = Named<ExposedServer>;

/** What exposed servers have together, and which of them has it, as clients were last told. */
export interface ExposedLists {
  /** Everything of a kind, under the names that clients use; `taken` are our own names. */
  list(kind: ListKind, taken?: ReadonlySet<string>): Promise<ExposedList>;
  /** A tool, or a prompt, by the name that clients use. */
  find(kind: NamedKind, name: string, taken?: ReadonlySet<string>): Promise<ExposedItem | undefined>;
  /** The server that has an address, or a template of addresses. */
  ownerOf(address: string): ExposedServer | undefined;
}

export function createExposedLists(
  servers: readonly ExposedServer[],
  services: Services,
  onError: (error: Error) => void,
): ExposedLists {
  const names = new Map<ListKind, ReadonlyMap<string, ExposedItem>>();
  const owners = new Map<string, ExposedServer>();

  const listOne = async (owner: ExposedServer, kind: ListKind): Promise<ExposedList & { owner: ExposedServer }> => {
    try {
      return { owner, ...(await listServer(owner, kind, services)) };
    } catch (thrown) {
      if (servers.length === 1) throw thrown;
      // One that fails does not take the others' with it.
      onError(thrown as Error);
      return { owner, items: [], ttlMs: 0, cacheScope: "private" };
    }
  };
  const list: ExposedLists["list"] = async (kind, taken = new Set()) => {
    const listings = await Promise.all(servers.map((server) => listOne(server, kind)));
    const hints = togetherHints(listings);
    if (kind === "tools" || kind === "prompts") {
      const named = publicNames(taken, listings);
      names.set(kind, named);
      return { items: [...named.values()].map(({ item }) => item), ...hints };
    }
    const key = kind === "resources" ? "uri" : "uriTemplate";
    for (const { owner, items } of listings.toReversed()) {
      for (const item of items) owners.set(String(item[key]), owner);
    }
    return { items: listings.flatMap(({ items }) => items), ...hints };
  };
  return {
    list,
    async find(kind, name, taken) {
      if (!names.get(kind)?.has(name)) await list(kind, taken);
      return names.get(kind)?.get(name);
    },
    ownerOf: (address) => owners.get(address),
  };
}

/** What holds for all of them. */
function togetherHints(parts: readonly Hints[]): Hints {
  return {
    ttlMs: Math.min(...parts.map(({ ttlMs }) => ttlMs)),
    cacheScope: parts.every(({ cacheScope }) => cacheScope === "public") ? "public" : "private",
  };
}
