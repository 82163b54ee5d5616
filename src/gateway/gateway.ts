import type { ClientIdentity as Identity } from "../actor.ts";
import type { Coordinator } from "../app/coordinator.ts";
import { servicesOf } from "../app/services-of.ts";
import { createClient } from "./client.ts";
import type { ExposedServers } from "./exposed-servers.ts";
import { identity } from "./identity.ts";
import { listChanges } from "./list-changes.ts";
import { createOwnHandlers, noOwnHandlers } from "./own-handlers.ts";
import { createParkedCallMemory } from "./parked-call-store.ts";
import { createParkedCalls } from "./parked-calls.ts";
import { RawServer } from "./raw-server.ts";
import { resumeRun } from "./resume-run.ts";
import { keptMs, serveClient } from "./serve-client.ts";

export interface GatewayOptions {
  /** Servers that clients see as they are, beside our tools. */
  readonly exposed?: ExposedServers | undefined;
  /** Something that no client can be told; for the log. */
  readonly onError: (error: Error) => void;
}

const instructions =
  "Call search_tools to find tools of the user's MCP servers, then execute_code with code that imports and calls them. " +
  "Tools of those servers cannot be called directly.";

const ownCapabilities = { tools: { listChanged: true }, resources: {}, prompts: {}, logging: {} };

/** The answers that a client of 2026-07-28 may keep. What changes with every run is not among them. */
const kept = { ttlMs: keptMs, cacheScope: "private" } as const;
const cacheHints = {
  "server/discover": kept,
  "tools/list": kept,
  "prompts/list": kept,
  "resources/templates/list": kept,
};

/** One coordinator as its AI clients see it, on stdio or over HTTP. */
export interface Gateway extends GatewayOptions {
  readonly coordinator: Coordinator;
  /** The server that one client sees. */
  createServer(who: Identity): RawServer;
  /** Calls back when our own tools have become others. Returns what ends that. */
  onToolsChanged(listener: () => void): () => void;
  /** How many calls wait for an answer of their client. */
  parkedCalls(): Promise<number>;
  /** Gives up what waits for clients. */
  close(): Promise<void>;
}

const lookMs = 2000;

export function createGateway(coordinator: Coordinator, { exposed, onError }: GatewayOptions): Gateway {
  // Without toolsets there is only what is exposed.
  const hasOwn = servicesOf(coordinator).config.toolsets.length > 0;
  const own = hasOwn ? createOwnHandlers(coordinator) : noOwnHandlers;
  const options = {
    capabilities: { ...(hasOwn && ownCapabilities), ...exposed?.capabilities },
    instructions: [hasOwn ? instructions : "", exposed?.instructions ?? ""].filter(Boolean).join("\n\n"),
    cacheHints,
    debouncedNotificationMethods: [...listChanges.keys()],
  };
  const { policy, approvals, config } = servicesOf(coordinator);
  const parked = createParkedCalls({
    store: createParkedCallMemory(),
    questions: approvals,
    resume: (question, answers) => resumeRun(coordinator, question, answers),
    // Longer than a run waits: it tells by itself that it has ended.
    patienceMs: keptMs + config.approvals.parkMinutes * 60_000,
  });
  // Rules decide which tools there are; without a call nobody else would look whether they have changed.
  const looking = setInterval(() => void Promise.resolve(policy.now()).catch(() => {}), lookMs).unref();
  const onToolsChanged: Gateway["onToolsChanged"] = (listener) => {
    let couldAsk = policy.policy.canAsk;
    return policy.onChange(() => {
      const { canAsk } = policy.policy;
      if (hasOwn && canAsk !== couldAsk) listener();
      couldAsk = canAsk;
    });
  };
  return {
    onToolsChanged,
    coordinator,
    exposed,
    onError,
    createServer(who) {
      const server = new RawServer(identity, options);
      const client = createClient(server, who);
      serveClient({ server, client, own, exposed, parked });
      // One that is there for a request only is told nothing.
      if (!who.isAnonymous) {
        const stop = onToolsChanged(() => {
          client.tools = undefined;
          server.tell({ method: "notifications/tools/list_changed" });
        });
        server.onOver(stop);
      }
      return server;
    },
    parkedCalls: parked.size,
    close() {
      clearInterval(looking);
      return parked.close();
    },
  };
}
