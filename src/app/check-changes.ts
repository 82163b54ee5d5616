import { changesOf, sumUp } from "../operations/discovery/tool-changes.ts";
import type { Services } from "../operations/services.ts";
import type { Finding } from "./finding.ts";

const week = 7 * 24 * 60 * 60 * 1000;

/** What servers changed within a week: programs and skills that worked before may not any more. */
export async function checkChanges(services: Services): Promise<Finding[]> {
  const since = Date.now() - week;
  const findings = services.libraries.modules.map(async ({ name: server }): Promise<Finding[]> => {
    const { definitions, results } = await changesOf(services, server);
    const recent = definitions.filter(({ at }) => at >= since);
    const drifts = results.filter(({ at }) => at >= since).map(({ tool, drift }) => `\nresults of ${tool}: ${drift}`);
    if (recent.length === 0 && drifts.length === 0) return [];
    const message = `changed in the last week: ${sumUp(recent) || "no definition"}${drifts.slice(0, 5).join("")}`;
    const fix = `Look at what uses them; \`mcp-coordinator tools ${server} --changes\` shows the differences.`;
    return [{ area: "server", server, status: "warn", message, fix }];
  });
  return (await Promise.all(findings)).flat();
}
