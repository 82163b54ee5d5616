import type { ArgumentHeaders } from "./argument-headers.ts";
import { listPages } from "./list-pages.ts";

export interface ToolList {
  /** The tools as the server sent them. */
  readonly tools: unknown[];
  /** The server had more than is taken, or its pages did not end. */
  readonly truncated?: true;
  /** Those that the protocol does not let us use, and why. */
  readonly leftOut?: readonly { readonly name: string; readonly reason: string }[];
}

export interface ListToolsOptions {
  /** For all pages together. */
  readonly timeoutMs: number;
  /** How much of that time is gone already. */
  readonly elapsedMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What of a connection it takes to list tools. */
interface Listing {
  request(method: string, params: Record<string, unknown> | undefined, options: ListToolsOptions): Promise<unknown>;
  readonly argumentHeaders?: ArgumentHeaders | undefined;
}

/** Every page of the server's tools. */
export async function listTools(server: string, connection: Listing, options: ListToolsOptions): Promise<ToolList> {
  const { items, ...rest } = await listPages(server, "tools", "list the tools", (params, elapsedMs) =>
    connection.request("tools/list", params, { ...options, elapsedMs: (options.elapsedMs ?? 0) + elapsedMs }),
  );
  const list = { tools: items, ...rest };
  if (connection.argumentHeaders === undefined) return list;
  const { usable, leftOut } = connection.argumentHeaders.learn(list.tools);
  return leftOut.length === 0 ? list : { ...list, tools: usable, leftOut };
}
