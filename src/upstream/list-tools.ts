import type { Connection } from "./connection.ts";
import { listPages } from "./list-pages.ts";

export interface ToolList {
  /** The tools as the server sent them. */
  readonly tools: unknown[];
  /** The server had more than is taken, or its pages did not end. */
  readonly truncated?: true;
  /** Those that the protocol does not let us use, and why. */
  readonly leftOut?: readonly { readonly name: string; readonly reason: string }[];
}

export interface ListOptions {
  /** For all pages together. */
  readonly timeoutMs: number;
  /** How much of that time is gone already. */
  readonly elapsedMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Every page of the server's tools. */
export async function listTools(server: string, connection: Connection, options: ListOptions): Promise<ToolList> {
  const list = await readPages(server, connection, options);
  if (connection.argumentHeaders === undefined) return list;
  const { usable, leftOut } = connection.argumentHeaders.learn(list.tools);
  return leftOut.length === 0 ? list : { ...list, tools: usable, leftOut };
}

async function readPages(server: string, connection: Connection, options: ListOptions): Promise<ToolList> {
  const gone = options.elapsedMs ?? 0;
  const { items, ...rest } = await listPages(server, "tools", "list the tools", (params, elapsedMs) =>
    connection.request("tools/list", params, { ...options, elapsedMs: gone + elapsedMs }),
  );
  return { tools: items, ...rest };
}
