import type { Access } from "./http-access.ts";
import type { Arrival } from "./http-listener.ts";
import { hangUp, refusal } from "./http-message.ts";

export const endpoint = "/mcp";

export interface Route {
  readonly path: string;
  readonly methods: readonly string[];
  /** Open to whoever knows the right Host, or only to those of them who show the token. */
  readonly access: "open" | "token";
  handle(arrival: Arrival): Response | Promise<Response>;
}

/** Finds the route of a request, and lets it in there if it may. */
export function createRouter(access: Access, routes: readonly Route[]): (arrival: Arrival) => Promise<Response> {
  return async (arrival) => {
    const { incoming } = arrival;
    const refused = access.checkOrigin(incoming);
    if (refused) return refused;
    const { method = "", url = "" } = incoming;
    const path = url.split("?", 1)[0];
    const takes = ({ methods }: Route) => methods.includes(method);
    // Which methods a path takes is for those who have shown the token.
    const route = routes.find((known) => known.path === path && (known.access === "token" || takes(known)));
    if (!route) return refusal(404, `There is nothing here. The MCP endpoint is ${endpoint}.`, hangUp);
    const unauthorized = route.access === "token" ? access.checkToken(incoming) : undefined;
    return unauthorized ?? (takes(route) ? route.handle(arrival) : wrongMethod(route));
  };
}

function wrongMethod({ path, methods }: Route): Response {
  const listed = new Intl.ListFormat("en-GB").format(methods);
  return refusal(405, `${path} takes ${listed}.`, { allow: methods.join(", ") });
}
