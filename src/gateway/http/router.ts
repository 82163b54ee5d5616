import type { Access } from "./access.ts";
import type { Arrival } from "./listener.ts";
import { hangUp, refusal } from "./message.ts";

export const endpoint = "/mcp";

export interface Route {
  readonly path: string;
  readonly methods: readonly string[];
  /** Every route checks the Host and the Origin; one that is not open wants the token, too. */
  readonly access: "open" | "token";
  handle(arrival: Arrival): Response | Promise<Response>;
}

/** Finds the route of a request, and hands it over if the caller is let in. */
export function createRouter(access: Access, routes: readonly Route[]): (arrival: Arrival) => Promise<Response> {
  return async (arrival) => {
    const { incoming } = arrival;
    const refused = access.checkOrigin(incoming);
    if (refused) return refused;
    const { method = "", url = "" } = incoming;
    const path = url.split("?", 1)[0];
    const takes = ({ methods }: Route) => methods.includes(method);
    // Only those who have shown the token are told which methods a path takes.
    const route = routes.find((known) => known.path === path && (known.access === "token" || takes(known)));
    if (!route) return refusal(404, `There is nothing here. The MCP endpoint is ${endpoint}.`, hangUp);
    const unauthorized = route.access === "token" ? access.checkToken(incoming) : undefined;
    return unauthorized ?? (takes(route) ? route.handle(arrival) : wrongMethod(route));
  };
}

function wrongMethod({ path, methods }: Route): Response {
  const listed = new Intl.ListFormat("en-GB").format(methods); // "A, B and C"
  return refusal(405, `${path} takes ${listed}.`, { allow: methods.join(", ") });
}
