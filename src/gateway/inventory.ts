import type { InventoryEntry } from "../runtime/libraries/libraries.ts";
import { estimateTokens } from "../runtime/results/tokens.ts";

/** What an AI client may pay for knowing which servers there are. */
const maxTokens = 280;

/** The servers in a few words each, so that a model knows what it can ask for; says when the list is cut. */
export function showInventory(servers: readonly InventoryEntry[]): string {
  if (servers.length === 0) return "No servers are configured.";
  const described = servers.map(({ name, description, tools }) => {
    const what = [short(description), tools === undefined ? "" : count(tools)].filter(Boolean).join(", ");
    return what ? `${name}: ${what}` : name;
  });
  if (cost(described) <= maxTokens) return sentence(described);
  const counted = servers.map(({ name, tools }) => (tools === undefined ? name : `${name} ${tools}`));
  let shown = counted.length;
  while (shown > 1 && cost(counted.slice(0, shown)) > maxTokens - 15) shown--;
  const rest = counted.length - shown;
  const cut =
    rest > 0
      ? [...counted.slice(0, shown), `and ${rest} more (cut; search_tools without arguments lists all)`]
      : counted;
  return sentence(cut, "Servers and their number of tools");
}

function sentence(parts: readonly string[], heading = "Servers"): string {
  return `${heading}: ${parts.join("; ")}.`;
}

function cost(parts: readonly string[]): number {
  return estimateTokens(sentence(parts, "Servers and their number of tools"));
}

function count(tools: number): string {
  return tools === 1 ? "1 tool" : `${tools} tools`;
}

function short(description: string): string {
  return description.length > 60 ? `${description.slice(0, 59)}…` : description;
}
