import type { InventoryEntry } from "../runtime/libraries/libraries.ts";
import { estimateTokens } from "../runtime/results/tokens.ts";
import { plural } from "../system/plural.ts";

/** What an AI client may pay for knowing which servers there are. */
const maxTokens = 280;

/** More of them are never shown: each costs more than a token. */
export const mostShown = 200;

/** The first servers in a few words each, so that a model knows what it can ask for; says when the list is cut. */
export function showInventory(servers: readonly InventoryEntry[], total: number): string {
  if (total === 0) return "No servers are configured.";
  const described = servers.map(({ name, description, tools }) => {
    const what = [short(description), tools === undefined ? "" : plural(tools, "tool")].filter(Boolean).join(", ");
    return what ? `${name}: ${what}` : name;
  });
  if (servers.length === total && cost(described) <= maxTokens) return sentence(described);
  const counted = servers.map(({ name, tools }) => (tools === undefined ? name : `${name} ${tools}`));
  const shown = fitting(counted);
  const rest = total - shown;
  const cut =
    rest > 0
      ? [...counted.slice(0, shown), `and ${rest} more (cut; search_tools without arguments lists all)`]
      : counted;
  return sentence(cut, "Servers and their number of tools");
}

/** How many of the first fit beside the words that tell of the others. */
function fitting(parts: readonly string[]): number {
  let [fit, most] = [1, parts.length];
  while (fit < most) {
    const middle = Math.ceil((fit + most) / 2);
    if (cost(parts.slice(0, middle)) <= maxTokens - 15) fit = middle;
    else most = middle - 1;
  }
  return fit;
}

function sentence(parts: readonly string[], heading = "Servers"): string {
  return `${heading}: ${parts.join("; ")}.`;
}

function cost(parts: readonly string[]): number {
  return estimateTokens(sentence(parts, "Servers and their number of tools"));
}

function short(description: string): string {
  return description.length > 60 ? `${description.slice(0, 59)}…` : description;
}
