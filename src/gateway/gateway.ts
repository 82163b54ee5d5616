import type { Client as Identity } from "../actor.ts";
import type { Coordinator } from "../operations/coordinator.ts";
import { createClient } from "./client.ts";
import type { Exposed } from "./exposed.ts";
import { listChanges } from "./exposed-notices.ts";
import { identity } from "./identity.ts";
import { createOwn, nothing } from "./own-handlers.ts";
import { createParkedCallMemory } from "./parked-call-store.ts";
import { createParkedCalls } from "./parked-calls.ts";
import { RawServer } from "./raw-server.ts";
import { keptMs, serveClient } from "./serve-client.ts";

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

/** One coordinator as its AI clients see it, on stdio or over HTTP. */
export interface Gateway {
  /** The server that one client sees. */
  createServer(who: Identity): RawServer;
  /** How many calls wait for an answer of their client. */
  parkedCalls(): Promise<number>;
  /** Gives up what waits for clients. */
  close(): Promise<void>;
}

export function createGateway(coordinator: Coordinator, { exposed }: GatewayOptions): Gateway {
  // Without toolsets there is only what is exposed.
  const hasOwn = coordinator.config.toolsets.length > 0;
  const own = hasOwn ? createOwn(coordinator) : nothing;
  const options = {
    capabilities: { ...(hasOwn && ownCapabilities), ...exposed?.capabilities },
    ...instructionsOf(hasOwn, exposed),
    cacheHints,
    debouncedNotificationMethods: [...listChanges.keys()],
  };
  const parked = createParkedCalls(createParkedCallMemory());
  return {
    createServer(who) {
      const server = new RawServer(identity, options);
      serveClient({ server, client: createClient(server, who), own, exposed, parked });
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
