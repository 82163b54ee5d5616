import type { Connection, RequestOptions } from "./connection.ts";
import { UpstreamError } from "./upstream-error.ts";

const mostPages = 1000;
const mostTools = 10_000;
const methodNotFound = -32601;

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

interface Page {
  readonly tools: readonly unknown[];
  readonly nextCursor?: string;
}

/** Every page of the server's tools. */
export async function listTools(server: string, connection: Connection, options: ListOptions): Promise<ToolList> {
  const list = await readPages(server, connection, options);
  if (connection.argumentHeaders === undefined) return list;
  const { usable, leftOut } = connection.argumentHeaders.learn(list.tools);
  return leftOut.length === 0 ? list : { ...list, tools: usable, leftOut };
}

async function readPages(server: string, connection: Connection, options: ListOptions): Promise<ToolList> {
  const began = performance.now() - (options.elapsedMs ?? 0);
  const tools: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const page = await readPage(server, connection, cursor, { ...options, elapsedMs: performance.now() - began });
    const room = mostTools - tools.length;
    for (const tool of page.tools.slice(0, room)) tools.push(tool);
    if (page.tools.length > room) break;
    cursor = page.nextCursor;
    if (cursor === undefined) return { tools };
    if (cursors.has(cursor)) break;
    cursors.add(cursor);
  }
  return { tools, truncated: true };
}

async function readPage(
  server: string,
  connection: Connection,
  cursor: string | undefined,
  options: RequestOptions,
): Promise<Page> {
  const result = await connection
    .request("tools/list", cursor === undefined ? undefined : { cursor }, options)
    .catch((thrown: unknown) => {
      // A server without tools need not know the method.
      if (thrown instanceof UpstreamError && thrown.rpcCode === methodNotFound) return { tools: [] };
      throw thrown;
    });
  const { tools, nextCursor } = result as { tools?: unknown; nextCursor?: unknown };
  if (!Array.isArray(tools)) {
    const message = `Cannot list the tools of upstream ${JSON.stringify(server)}: its answer holds no list`;
    throw new UpstreamError("call_failed", message, { server, delivery: "failed" });
  }
  return typeof nextCursor === "string" && nextCursor !== "" ? { tools, nextCursor } : { tools };
}
