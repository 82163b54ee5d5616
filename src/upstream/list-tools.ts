import type { Connection } from "./connection.ts";
import { listPages } from "./list-pages.ts";

export interface ToolList {
  /** The tools as the server sent them. */
  readonly tools: unknown[];
  /** The server had more than is taken, or its pages did not end. */
  readonly truncated?: true;
}

export interface ListOptions {
  /** For all pages together. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Every page of the server's tools. */
export async function listTools(server: string, connection: Connection, options: ListOptions): Promise<ToolList> {
  const { items, ...rest } = await listPages(server, "tools", "list the tools", (params, elapsedMs) =>
    connection.request("tools/list", params, { ...options, elapsedMs }),
  );
  return { tools: items, ...rest };
}
