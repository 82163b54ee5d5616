import type { ClientCapabilities } from "@modelcontextprotocol/server";
import type { ClientIdentity, Notification } from "../actor.ts";
import type { RawServer } from "./raw-server.ts";
import type { ToolDefinition } from "./tool-definitions.ts";

/** One AI client, for as long as it is connected; a client of 2026-07-28 over HTTP is one for each request. */
export interface Client extends ClientIdentity {
  /** What it calls itself, once it has said so. */
  readonly name: string | undefined;
  readonly capabilities: ClientCapabilities | undefined;
  /** Whether it speaks 2026-07-28 or later, and so has no handshake and cannot be asked in the middle of a request. */
  readonly isModern: boolean;
  /** The tools that it was told of: they stay the same for as long as it is connected. */
  tools: readonly ToolDefinition[] | undefined;
  /** From which level on it wants log messages; undefined until it says so. */
  logLevel: string | undefined;
  /** The addresses of the resources whose changes it wants to hear of. */
  readonly subscriptions: Set<string>;
  /** Whether it knows a type of content. */
  knows(type: string): boolean;
  /** Tells it something that is not about one of its requests. */
  tell(notification: Notification): void;
}

/** The first versions of the protocol whose clients know these types of content. */
const knownSince: Readonly<Record<string, string>> = { audio: "2025-03-26", resource_link: "2025-06-18" };

/** The client that a server serves: what the two have agreed on, the server knows once they have. */
export function createClient(server: RawServer, identity: ClientIdentity): Client {
  return {
    ...identity,
    get name() {
      return server.getClientVersion()?.name;
    },
    get capabilities() {
      return server.getClientCapabilities();
    },
    get isModern() {
      return (server.getNegotiatedProtocolVersion() ?? "") >= "2026";
    },
    tools: undefined,
    logLevel: undefined,
    subscriptions: new Set(),
    knows(type) {
      const version = server.getNegotiatedProtocolVersion();
      const since = knownSince[type];
      // One that says no version is of the newest.
      return since === undefined || version === undefined || version >= since;
    },
    tell: (notification) => server.tell(notification),
  };
}
