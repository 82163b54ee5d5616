import type { Coordinator } from "../app/coordinator.ts";
import { servicesOf } from "../app/services-of.ts";
import { plainLine } from "../catalog/plain-text.ts";
import { plural } from "../system/plural.ts";
import { waitFor } from "../system/wait-for.ts";

/** How long servers that were never asked may take to say what they have. */
const patienceMs = 10_000;

/** How the user's servers are, and what to do about those that fail: for a model that helps with them. */
export async function serversReport(coordinator: Coordinator): Promise<string> {
  const { config, libraries, upstreams } = servicesOf(coordinator);
  await waitFor(libraries.discover(), patienceMs);
  const missing = new Map((await libraries.missing()).map((entry) => [entry.server, entry]));
  const inventory = await libraries.inventory();
  const lines = inventory.map(({ name, module, description, tools }) => {
    const { lastError } = upstreams.state(name);
    const trouble = missing.get(name)?.reason ?? lastError;
    const what = [description && plainLine(description, 200), tools === undefined ? "" : plural(tools, "tool")];
    const about = `- \`${name}\` (\`mcp_tools/${module}\`): ${what.filter(Boolean).join(", ") || "not known yet"}`;
    return trouble === undefined ? about : `${about}\n  - fails: ${plainLine(trouble, 500)}`;
  });
  const skipped = inventory.flatMap(({ name }) =>
    libraries.skipped(name).map((tool) => plainLine(`- \`${name}\`: ${tool.name}: ${tool.reason}`, 300)),
  );
  const sections = [
    `Help me with the MCP servers behind mcp-coordinator. They are configured in ${config.file ?? "no file yet"}.`,
    `## Servers\n\n${lines.join("\n") || "None is configured."}`,
    skipped.length > 0 ? `## Tools that are left out\n\n${skipped.join("\n")}` : "",
    `## What to do

- For each server that works, say in a sentence what I can ask for; \`search_tools\` with \`server\` lists its tools.
- For each one that fails, explain the reason in plain words and name the change that would help: in its entry, in the environment, on the network.
- Do not change anything without asking me. \`mcp-coordinator doctor\` in a terminal shows more of each server.`,
  ];
  return sections.filter(Boolean).join("\n\n");
}
