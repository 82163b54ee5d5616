import { UpstreamError } from "./upstream-error.ts";

const mostPages = 1000;
const mostItems = 10_000;
const methodNotFound = -32601;

/** What servers list: where an answer has it, and the method for it. */
export const listMethods = {
  tools: "tools/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
  prompts: "prompts/list",
} as const;

export type ListKind = keyof typeof listMethods;
/** All but the tools, which are more than a list to us. */
export type ListName = Exclude<ListKind, "tools">;

export interface Listing {
  /** The items as the server sent them. */
  readonly items: unknown[];
  /** The server had more than is taken, or its pages did not end. */
  readonly truncated?: true;
}

/** Sends the request for one page; says how much of the time for all pages is gone. */
type AskForPage = (params: { readonly cursor: string } | undefined, elapsedMs: number) => Promise<unknown>;

/** Every page of one of a server's lists; `key` is where an answer has it, `what` follows "Cannot". */
export async function listPages(server: string, key: string, what: string, ask: AskForPage): Promise<Listing> {
  const began = performance.now();
  const items: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const params = cursor === undefined ? undefined : { cursor };
    const answer = await ask(params, performance.now() - began).catch((thrown: unknown) => {
      // A server that has none of it need not know the method, whatever it has declared.
      if (thrown instanceof UpstreamError && thrown.rpcCode === methodNotFound) return { [key]: [] };
      throw thrown;
    });
    const { [key]: page, nextCursor } = answer as Record<string, unknown>;
    if (!Array.isArray(page)) {
      const message = `Cannot ${what} of upstream ${JSON.stringify(server)}: its answer holds no list`;
      throw new UpstreamError("call_failed", message, { server, delivery: "failed" });
    }
    const room = mostItems - items.length;
    for (const item of page.slice(0, room)) items.push(item);
    if (page.length > room) break;
    if (typeof nextCursor !== "string" || nextCursor === "") return { items };
    if (cursors.has(nextCursor)) break;
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
  return { items, truncated: true };
}
