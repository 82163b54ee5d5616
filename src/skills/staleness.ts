import { createHash } from "node:crypto";
import type { Library, Tool } from "../catalog/tool.ts";
import type { SkillTool } from "./skill-store.ts";

/** What a skill depends on of a tool: its name and what it takes. */
export function toolHash(tools: readonly Tool[]): string {
  const shapes = tools.map(({ name, inputSchema }) => JSON.stringify([name, sorted(inputSchema)])).sort();
  return createHash("sha256").update(shapes.join("\n")).digest("hex").slice(0, 16);
}

/** The order of keys says nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => [key, sorted(member)]);
}

/** The servers as they are now. */
interface Servers {
  isConfigured(server: string): boolean;
  /** Undefined when it is not known what the server offers. */
  library(server: string): Library | undefined;
}

/** What has changed under a skill since it was saved, a sentence each. What is not known now is not counted. */
export function staleness(tools: readonly SkillTool[], servers: Servers): string[] {
  return tools.flatMap(({ server, tool, hash }) => {
    if (!servers.isConfigured(server)) return [`the server "${server}" is not configured`];
    const library = servers.library(server);
    if (!library) return [];
    if (tool === "*") return toolHash(library.tools) === hash ? [] : [`the tools of "${server}" have changed`];
    const now = library.tools.find(({ name }) => name === tool);
    if (!now) return [`"${server}" has no tool "${tool}" any more`];
    return toolHash([now]) === hash ? [] : [`"${tool}" of "${server}" has changed what it takes`];
  });
}
