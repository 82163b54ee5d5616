import type { Program } from "../../engine.ts";
import { createFetch } from "./fetch.ts";
import type { Host } from "./modules.ts";

type Scope = Record<string, unknown>;

/** What the web's ways out say to a guest that has no network. */
export function closeNetwork(scope: Scope): void {
  for (const name of ["fetch", "WebSocket", "EventSource"]) {
    scope[name] = refusing(
      "Guests have no network (coordinator.sandbox.network.allow): call a tool of an MCP server instead",
    );
  }
}

/** Gives a program the `fetch` that the host sends, where the user has opened hosts. */
export function openNetwork(scope: Scope, host: Host, { operations, hosts = [] }: Program): void {
  if (!operations.some(([name]) => name === "fetch")) return;
  scope["fetch"] = createFetch(host);
  for (const name of ["WebSocket", "EventSource"]) {
    scope[name] = refusing(`Guests have no ${name}: use fetch, which reaches ${hosts.join(", ")}`);
  }
}

/** Not an arrow function: `new` would complain of that instead. */
function refusing(reason: string) {
  return function refuse(): never {
    throw new Error(reason);
  };
}
