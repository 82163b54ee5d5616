import { resolve } from "node:path";
import type { Path } from "./document.ts";
import { pathText } from "./invalid-config.ts";
import type { ServerEntry } from "./schema.ts";

/** Which tools of a server are used. `*` and `?` are wildcards, deny wins, and an empty allow list means all. */
interface ToolFilter {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** What the user wants other than usual. */
interface ServerLimits {
  /** For one call, the start of the server included. */
  readonly timeoutMs?: number;
  readonly startTimeoutMs?: number;
  /** Calls in flight at once. */
  readonly maxParallelCalls?: number;
}

interface AnyServer {
  readonly name: string;
  readonly description?: string;
  readonly tools: ToolFilter;
  readonly limits?: ServerLimits;
}

/** An upstream that is started as a child process. */
export interface StdioServer extends AnyServer {
  readonly transport: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd?: string;
}

/** How we get tokens for a server that wants OAuth; what is left out is found out. */
export type OAuthSettings = NonNullable<ServerEntry["auth"]>;

/** An upstream that is reached over HTTP; `auto` is streamable HTTP first, then SSE. */
export interface RemoteServer extends AnyServer {
  readonly transport: "http" | "sse" | "auto";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth?: OAuthSettings;
  /** How to speak to it; found out when left out. */
  readonly protocolEra?: "legacy" | "modern";
}

export type ServerConfig = StdioServer | RemoteServer;

/** The server that a checked entry describes. `folder` is that of the file. */
export function createServer(name: string, entry: ServerEntry, folder: string): ServerConfig {
  const common = {
    name,
    ...(entry.description === undefined ? {} : { description: entry.description }),
    tools: toolFilter(entry),
    ...limitsOf(entry),
  };
  if (entry.command !== undefined) {
    return {
      transport: "stdio",
      ...common,
      command: entry.command,
      args: entry.args ?? [],
      env: entry.env ?? {},
      ...(entry.cwd === undefined ? {} : { cwd: resolve(folder, entry.cwd) }),
    };
  }
  const url = entry.url ?? entry.serverUrl ?? entry.httpUrl ?? "";
  return {
    transport: remoteTransport(entry),
    ...common,
    url,
    headers: entry.headers ?? {},
    ...(entry.auth && { auth: entry.auth }),
    ...(entry.protocolEra !== undefined && { protocolEra: entry.protocolEra }),
  };
}

/** One note for each setting that this kind of server has no use for. */
export function unusedNotes(path: Path, entry: ServerEntry): readonly string[] {
  const isRemote = entry.command === undefined;
  const foreign = isRemote ? (["args", "env", "cwd"] as const) : (["headers", "auth"] as const);
  return foreign
    .filter((key) => Object.keys(entry[key] ?? {}).length > 0)
    .map(
      (key) => `${pathText([...path, key])} is not used: the server ${isRemote ? "is not started here" : "is local"}`,
    );
}

function limitsOf({ timeoutSeconds, startTimeoutSeconds, maxParallelCalls }: ServerEntry): { limits?: ServerLimits } {
  const limits = {
    ...(timeoutSeconds !== undefined && { timeoutMs: timeoutSeconds * 1000 }),
    ...(startTimeoutSeconds !== undefined && { startTimeoutMs: startTimeoutSeconds * 1000 }),
    ...(maxParallelCalls !== undefined && { maxParallelCalls }),
  };
  return Object.keys(limits).length === 0 ? {} : { limits };
}

function remoteTransport(entry: ServerEntry): RemoteServer["transport"] {
  if (entry.type === "sse") return "sse";
  return entry.type === undefined && entry.httpUrl === undefined ? "auto" : "http";
}

function toolFilter(entry: ServerEntry): ToolFilter {
  const { tools = {}, includeTools, excludeTools = [], disabledTools = [] } = entry;
  const filter = "length" in tools ? { allow: tools } : tools;
  const allow = filter.allow ?? includeTools;
  const deny = [...(filter.deny ?? []), ...excludeTools, ...disabledTools];
  // A list that was written and allows nothing must not be read as "all".
  return allow?.length === 0 ? { allow, deny: ["*"] } : { allow: allow ?? [], deny };
}
