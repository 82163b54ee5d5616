import { allowed } from "../catalog/glob.ts";
import type { Services } from "../operations/services.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { ServerDescription } from "../upstream/upstreams.ts";
import type { Item } from "./exposed-names.ts";
import type { Params } from "./raw-server.ts";

/** A server that clients see as it is. */
export interface ExposedServer {
  readonly name: string;
  readonly prefix: string | undefined;
  /** Undefined when it could not be reached at the start. */
  readonly description: ServerDescription | undefined;
}

export type Kind = "tools" | "prompts" | "resources" | "resourceTemplates";

/** How long a list may be kept, and whether for one client or for all. */
interface Hints {
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

export interface Listed extends Hints {
  readonly items: readonly Item[];
}

export const listMethods: Readonly<Record<Kind, string>> = {
  tools: "tools/list",
  prompts: "prompts/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
};
const mostPages = 1000;
const methodNotFound = -32601;

/** All that a server has of a kind and clients may see, as it sent it. */
export async function listServer(server: ExposedServer, kind: Kind, services: Services): Promise<Listed> {
  const items: Item[] = [];
  let hints: Hints = { ttlMs: 0, cacheScope: "private" };
  let cursor: unknown;
  if (!offers(server, kind)) return { items, ttlMs: Number.MAX_SAFE_INTEGER, cacheScope: "public" };
  const seen = new Set<unknown>();
  for (let page = 0; page < mostPages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const request = { server: server.name, method: listMethods[kind], params, client: undefined };
    const result = (await services.forward(request).catch(asEmpty)) as Params;
    const listed = result[kind];
    if (Array.isArray(listed)) items.push(...listed.filter((item) => isShown(server, kind, item, services)));
    if (typeof result["ttlMs"] === "number") {
      hints = { ttlMs: result["ttlMs"], cacheScope: result["cacheScope"] === "public" ? "public" : "private" };
    }
    cursor = result["nextCursor"];
    if (typeof cursor !== "string" || cursor === "" || seen.has(cursor)) break;
    seen.add(cursor);
  }
  return { items, ...hints };
}

/** What holds for all of them. */
export function togetherHints(parts: readonly Hints[]): Hints {
  return {
    ttlMs: Math.min(...parts.map(({ ttlMs }) => ttlMs)),
    cacheScope: parts.every(({ cacheScope }) => cacheScope === "public") ? "public" : "private",
  };
}

export function offers({ description }: ExposedServer, kind: Kind): boolean {
  if (!description) return true;
  return description.capabilities[kind === "resourceTemplates" ? "resources" : kind] !== undefined;
}

function isShown({ name: server }: ExposedServer, kind: Kind, item: unknown, { libraries }: Services): item is Item {
  if (typeof item !== "object" || item === null) return false;
  const { name } = item as Item;
  if (kind === "tools") return typeof name === "string" && allowed(name, libraries.server(server).tools);
  return kind !== "prompts" || typeof name === "string";
}

/** A server need not have a method for what it has none of. */
function asEmpty(thrown: unknown): unknown {
  if (thrown instanceof UpstreamError && thrown.rpcCode === methodNotFound) return {};
  throw thrown;
}
