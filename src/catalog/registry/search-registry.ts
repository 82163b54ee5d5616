import { plainLine } from "../plain-text.ts";
import { createSearch } from "../search/search.ts";
import type { Library } from "../tool.ts";
import type { RegistryServer } from "./server-json.ts";

/** The servers that fit the words, best first: the same search as for tools. Those that are deleted come last. */
export function searchRegistry(servers: readonly RegistryServer[], query: string, limit: number): RegistryServer[] {
  const exact = servers.find(({ name }) => name === query.trim());
  const byLibrary = new Map(servers.map((server) => [libraryOf(server), server]));
  const { results } = createSearch([...byLibrary.keys()]).search(query, { limit: servers.length });
  const found = results.flatMap(({ library }) => byLibrary.get(library) ?? []);
  const ranked = [...new Set([...(exact ? [exact] : []), ...found])];
  const isLive = ({ status }: RegistryServer) => status !== "deleted";
  return [...ranked.filter(isLive), ...ranked.filter((server) => !isLive(server))].slice(0, limit);
}

/** A server as something that is searched like a tool: its variables are what it takes. */
function libraryOf(server: RegistryServer): Library {
  const short = server.name.slice(server.name.lastIndexOf("/") + 1);
  const variables = (server.packages ?? []).flatMap(({ environmentVariables }) => environmentVariables ?? []);
  const properties = Object.fromEntries(variables.map(({ name, description = "" }) => [name, { description }]));
  const identifiers = (server.packages ?? []).map(({ identifier }) => identifier).join(" ");
  const tool = {
    name: short,
    identifier: short,
    title: plainLine(server.title ?? "", 100),
    description: `${server.description}\n${identifiers}`,
    inputSchema: { properties },
  };
  // Most names begin with the host of their owner, which says nothing about them.
  return { server: server.name.replace(/^io\.github\./, ""), module: short, description: "", tools: [tool] };
}
