import { local } from "../actor.ts";
import { allowed } from "../catalog/glob.ts";
import { requestOf } from "../door/act.ts";
import { rawResult } from "../door/door.ts";
import type { Services } from "../operations/services.ts";
import { type ListKind, listMethods, listPages } from "../upstream/list-pages.ts";
import type { ServerDescription } from "../upstream/upstream-view.ts";
import type { Item } from "./exposed-names.ts";
import type { Params } from "./raw-server.ts";

/** A server that clients see as it is. */
export interface ExposedServer {
  readonly name: string;
  readonly prefix: string | undefined;
  /** Undefined when it could not be reached at the start. */
  readonly description: ServerDescription | undefined;
}

/** How long a list may be kept, and whether for one client or for all. */
export interface Hints {
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

export interface ExposedList extends Hints {
  readonly items: readonly Item[];
}

/** All that a server has of a kind and clients may see, as it sent it, or as it was accepted. */
export async function listServer(server: ExposedServer, kind: ListKind, services: Services): Promise<ExposedList> {
  if (!offers(server, kind)) return { items: [], ttlMs: Number.MAX_SAFE_INTEGER, cacheScope: "public" };
  let hints: Hints = { ttlMs: 0, cacheScope: "private" };
  const { items } = await listPages(server.name, kind, `list the ${kind}`, async (params) => {
    const act = requestOf(server.name, listMethods[kind], { ...params });
    const page = (await services.door.pass(act, local, rawResult)) as Params;
    if (typeof page["ttlMs"] === "number") {
      hints = { ttlMs: page["ttlMs"], cacheScope: page["cacheScope"] === "public" ? "public" : "private" };
    }
    return Array.isArray(page[kind]) ? page : { ...page, [kind]: [] };
  });
  const pinned = pinnedKinds[kind];
  const reviewed = pinned === undefined ? items : await services.pins.reviewItems(server.name, pinned, items);
  return { items: reviewed.filter((item) => isShown(item, kind, server.name, services)), ...hints };
}

const pinnedKinds = { tools: "tool", prompts: "prompt", resourceTemplates: "template", resources: undefined } as const;

export function offers({ description }: ExposedServer, kind: ListKind): boolean {
  if (!description) return true;
  return description.capabilities[kind === "resourceTemplates" ? "resources" : kind] !== undefined;
}

function isShown(item: unknown, kind: ListKind, server: string, { libraries }: Services): item is Item {
  if (typeof item !== "object" || item === null) return false;
  const { name } = item as Item;
  if (kind === "tools") return typeof name === "string" && allowed(name, libraries.server(server).tools);
  return kind !== "prompts" || typeof name === "string";
}
