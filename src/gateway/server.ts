import { type CallToolResult, Server, type ServerContext } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Toolset } from "../config/schema.ts";
import { CoordinatorError } from "../errors.ts";
import type { Coordinator } from "../operations/coordinator.ts";
import type { AnyOperation } from "../operations/operation.ts";
import { answer } from "./answer.ts";
import { identity } from "./identity.ts";
import { logDuring } from "./logging.ts";
import { servePrompts } from "./prompts.ts";
import { serveResources } from "./resources.ts";
import { type ToolDefinition, toolDefinitions, visibleOperations } from "./tool-definitions.ts";

export interface GatewayOptions {
  readonly toolsets: readonly Toolset[];
  /** Something that no client can be told; for the log. */
  readonly onError: (error: Error) => void;
}

const instructions =
  "Call search_tools to find tools of the user's MCP servers, then execute_code with code that imports and calls them. " +
  "Tools of those servers cannot be called directly.";

/** How long a client of 2026-07-28 may keep an answer. What changes with every run is not in it. */
const cacheHints = Object.fromEntries(
  (["server/discover", "tools/list", "prompts/list", "resources/templates/list"] as const).map((method) => [
    method,
    { ttlMs: 5 * 60_000, cacheScope: "private" as const },
  ]),
);

/** The most often that a client is told of progress. */
const progressIntervalMs = 200;

/** Serves the coordinator to one AI client on this process's stdin and stdout. */
export function serveOnStdio(coordinator: Coordinator, options: GatewayOptions): { close(): Promise<void> } {
  return serveStdio(() => createServer(coordinator, options, "stdio"), { onerror: options.onError });
}

/** The server that one client sees; `callerId` tells the client from others. */
export function createServer(coordinator: Coordinator, { toolsets }: GatewayOptions, callerId: string): Server {
  const capabilities = { tools: {}, resources: {}, prompts: {}, logging: {} };
  const server = new Server(identity, { capabilities, instructions, cacheHints });
  const operations = visibleOperations(coordinator.operations, toolsets);
  let definitions: ToolDefinition[] | undefined;

  server.setRequestHandler("tools/list", () => {
    // The list stays the same for as long as the client is connected.
    definitions ??= toolDefinitions(coordinator, toolsets);
    setImmediate(() => coordinator.warmUp());
    return { tools: definitions };
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const operation = operations.find(({ name }) => name === params.name);
    if (!operation) return unknownTool(params.name, operations);
    const client = server.getClientVersion()?.name;
    const { _meta: meta, signal } = context.mcpReq;
    using log = logDuring(context, coordinator.services.notices);
    const onProgress = progressReporter(meta?.progressToken, context);
    const caller = { id: callerId, capabilities: { ...server.getClientCapabilities() }, ask: cannotAsk };
    return await answer(operation, params.arguments, { signal, client, caller, onProgress }, log, {
      artifacts: coordinator.services.artifacts,
      protocolVersion: server.getNegotiatedProtocolVersion(),
    });
  });
  serveResources(server, coordinator, toolsets);
  servePrompts(server, coordinator, toolsets);
  return server;
}

async function cannotAsk(): Promise<never> {
  throw new CoordinatorError("call_failed", "The client cannot be asked in this version");
}

/** Models call a server's tool directly now and then: the answer says what to do instead. */
function unknownTool(name: string, operations: readonly AnyOperation[]): CallToolResult {
  const known = operations.map((operation) => operation.name).join(", ");
  const text = `There is no tool "${name}" here, only ${known}. Tools of MCP servers are imported in execute_code; search_tools finds them.`;
  return { content: [{ type: "text", text }], isError: true };
}

function progressReporter(token: string | number | undefined, context: ServerContext) {
  if (token === undefined) return undefined;
  let progress = 0;
  let last = 0;
  return (message: string): void => {
    progress++;
    if (performance.now() - last < progressIntervalMs && progress > 1) return;
    last = performance.now();
    const params = { progressToken: token, progress, message };
    context.mcpReq.notify({ method: "notifications/progress", params }).catch(() => {}); // the client has gone
  };
}
