import { createHash } from "node:crypto";
import { fieldsOf } from "../system/fields.ts";
import { textSize } from "./text-size.ts";
import { UpstreamError } from "./upstream-error.ts";

const mostPages = 1000;
const mostItems = 10_000;
/** Of all pages together, in characters. */
const mostText = 64 * 1024 * 1024;
const longestCursor = 64 * 1024;
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

export interface ListedItems {
  /** The items as the server sent them. */
  readonly items: unknown[];
  /** The server had more than is taken, or its pages did not end. */
  readonly truncated?: true;
}

/** Sends the request for one page; says how much of the time for all pages is gone. */
type AskForPage = (params: { readonly cursor: string } | undefined, elapsedMs: number) => Promise<unknown>;

/** Every page of one of a server's lists; `key` is where an answer has it, `what` follows "Cannot". */
export async function listPages(server: string, key: string, what: string, ask: AskForPage): Promise<ListedItems> {
  const began = performance.now();
  const items: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let text = 0;
  for (let pages = 0; pages < mostPages; pages++) {
    const params = cursor === undefined ? undefined : { cursor };
    const answer = await ask(params, performance.now() - began).catch((thrown: unknown) => {
      // A server that has none of it need not know the method, whatever it has declared.
      if (thrown instanceof UpstreamError && thrown.rpcCode === methodNotFound) return { [key]: [] };
      throw thrown;
    });
    const { [key]: page, nextCursor } = fieldsOf(answer);
    if (!Array.isArray(page)) {
      const message = `Cannot ${what} of upstream ${JSON.stringify(server)}: its answer holds no list`;
      throw new UpstreamError("call_failed", message, { server, delivery: "failed" });
    }
    for (const item of page) {
      text += textSize(item, mostText);
      if (items.length === mostItems || text > mostText) return { items, truncated: true };
      items.push(item);
    }
    if (typeof nextCursor !== "string" || nextCursor === "") return { items };
    if (nextCursor.length > longestCursor) break;
    const known = createHash("sha256").update(nextCursor).digest("base64");
    if (cursors.has(known)) break;
    cursors.add(known);
    cursor = nextCursor;
  }
  return { items, truncated: true };
}
