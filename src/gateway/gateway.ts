import type { CallToolResult, Server } from "@modelcontextprotocol/server";
import type { Client } from "../actor.ts";
import { plainLine } from "../catalog/plain-text.ts";
import type { Toolset } from "../config/schema.ts";
import type { Coordinator } from "../operations/coordinator.ts";
import type { AnyOperation } from "../operations/operation.ts";
import { answer } from "./answer.ts";
import type { Exchange } from "./exchange.ts";
import type { Exposed } from "./exposed.ts";
import { HandlerTable } from "./handler-table.ts";
import { identity } from "./identity.ts";
import { logDuring } from "./logging.ts";
import { createParkedCallMemory } from "./parked-call-store.ts";
import { createParkedCalls } from "./parked-calls.ts";
import { servePrompts } from "./prompts.ts";
import { RawServer } from "./raw-server.ts";
import { serveResources } from "./resources.ts";
import { changes, keptMs, serveTogether } from "./serve-together.ts";
import { type ToolDefinition, toolDefinitions, visibleOperations } from "./tool-definitions.ts";

export interface GatewayOptions {
  /** Servers that clients see as they are, beside our tools. */
  readonly exposed?: Exposed | undefined;
  /** Something that no client can be told; for the log. */
  readonly onError: (error: Error) => void;
}

const instructions =
  "Call search_tools to find tools of the user's MCP servers, then execute_code with code that imports and calls them. " +
  "Tools of those servers cannot be called directly.";

const ownCapabilities = { tools: {}, resources: {}, prompts: {}, logging: {} };

/** The answers that a client of 2026-07-28 may keep. What changes with every run is not among them. */
const cacheHints = Object.fromEntries(
  (["server/discover", "tools/list", "prompts/list", "resources/templates/list"] as const).map((method) => [
    method,
    { ttlMs: keptMs, cacheScope: "private" as const },
  ]),
);

/** The most often that a client is told of progress. */
const progressIntervalMs = 200;

/** One coordinator as its AI clients see it, on stdio or over HTTP. */
export interface Gateway {
  /** The server that one client sees. */
  createServer(who: Client): RawServer;
  /** How many calls wait for an answer of their client. */
  parkedCalls(): Promise<number>;
  /** Gives up what waits for clients. */
  close(): Promise<void>;
}

export function createGateway(coordinator: Coordinator, { exposed }: GatewayOptions): Gateway {
  const { toolsets } = coordinator.config;
  // None: only what is exposed.
  const hasOwn = toolsets.length > 0;
  const options = {
    capabilities: { ...(hasOwn && ownCapabilities), ...exposed?.capabilities },
    ...instructionsOf(hasOwn, exposed),
    cacheHints,
    debouncedNotificationMethods: [...changes],
  };
  const parked = createParkedCalls(createParkedCallMemory());
  return {
    createServer(who) {
      const server = new RawServer(identity, options);
      const own = hasOwn ? ownHandlers(coordinator, toolsets, server) : new HandlerTable();
      serveTogether({ server, own, exposed, parked, who });
      return server;
    },
    parkedCalls: parked.size,
    close: parked.close,
  };
}

function instructionsOf(hasOwn: boolean, exposed: Exposed | undefined): { instructions?: string } {
  const texts = [hasOwn ? instructions : "", exposed?.instructions ?? ""].filter(Boolean);
  return texts.length > 0 ? { instructions: texts.join("\n\n") } : {};
}

function ownHandlers(coordinator: Coordinator, toolsets: readonly Toolset[], server: Server): HandlerTable {
  const table = new HandlerTable();
  const operations = visibleOperations(coordinator.operations, toolsets);
  let definitions: ToolDefinition[] | undefined;

  table.setRequestHandler("tools/list", () => {
    // Made once: the list stays the same for as long as the client is connected.
    definitions ??= toolDefinitions(coordinator, toolsets);
    setImmediate(() => coordinator.warmUp());
    return { tools: definitions };
  });
  table.toolNames = new Set(operations.map(({ name }) => name));
  table.callTool = async (params, exchange, client) => {
    const operation = operations.find(({ name }) => name === params["name"]);
    if (!operation) return unknownTool(String(params["name"]), operations);
    const { signal, caller } = exchange;
    using log = logDuring(exchange, coordinator.services.notices);
    const onProgress = progressReporter(exchange);
    return await answer(operation, params["arguments"], { signal, client, caller, onProgress }, log, {
      artifacts: coordinator.services.artifacts,
      protocolVersion: server.getNegotiatedProtocolVersion(),
    });
  };
  serveResources(table, coordinator, toolsets);
  servePrompts(table, coordinator, toolsets);
  return table;
}

/** Models call a server's tool directly now and then: the answer says what to do instead. */
function unknownTool(name: string, operations: readonly AnyOperation[]): CallToolResult {
  const known = operations.map((operation) => operation.name).join(", ");
  const text = `There is no tool "${plainLine(name, 200)}" here, only ${known}. Tools of MCP servers are imported in execute_code; search_tools finds them.`;
  return { content: [{ type: "text", text }], isError: true };
}

function progressReporter(exchange: Exchange) {
  if (exchange.progressToken === undefined) return undefined;
  let progress = 0;
  let last = 0;
  return (message: string): void => {
    progress++;
    const { progressToken } = exchange;
    if (progressToken === undefined || (performance.now() - last < progressIntervalMs && progress > 1)) return;
    last = performance.now();
    exchange.notify({ method: "notifications/progress", params: { progressToken, progress, message } });
  };
}
