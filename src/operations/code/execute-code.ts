import * as z from "zod";
import { type RunResult, showRun } from "../../runtime/results/run-result.ts";
import { language, runSettings } from "../inputs.ts";
import { defineOperation } from "../operation.ts";
import type { Services } from "../services.ts";
import { presentRun } from "./present-run.ts";

export function executeCode({ execute, config }: Services) {
  const network = showNetwork(config.sandbox.network.allow);
  return defineOperation({
    name: "execute_code",
    description: `Run TypeScript or Python in a sandbox; the user's MCP servers are typed modules. Returns only what it prints and its last expression, so chain calls, filter and aggregate in code.
TypeScript: import { tool } from "mcp_tools/<server>"; const data = await tool({ arg: 1 });
Python: from mcp_tools.<server> import tool; data = tool(arg=1)
Top-level await; parallel calls by Promise.all, or asyncio.gather over mcp_tools.aio.<server>; failed calls throw ToolError. Code is checked before anything runs. ${network}. Long output is cut, and whole as an artifact.
session keeps variables and functions between runs. From "coordinator": artifacts.save("a.json", data) gives a uri for artifacts.json/read/lines(uri) in any run; memory.set/get(key, …); skills.save(fn) of a documented top-level function, whose answer has its import. search_tools({ server: "coordinator" }) lists all.`,
    toolset: "code",
    input: () =>
      z.strictObject({
        code: z.string(),
        language: language.optional().describe("typescript when absent"),
        ...runSettings,
      }),
    run: ({ timeout, ...request }, actor): Promise<RunResult> =>
      execute({ ...request, timeoutSeconds: timeout }, actor),
    present: (run) => presentRun(run, showRun(run), config.output.format),
  });
}

/** Of longer lists the guide has all. */
const longestHosts = 80;

/** Which hosts code may reach, short enough for a definition that is sent with every conversation. */
export function showNetwork(hosts: readonly string[]): string {
  if (hosts.length === 0) return "No network";
  const shown = hosts.filter((_host, index) => hosts.slice(0, index + 1).join(", ").length <= longestHosts);
  const more = hosts.length - shown.length;
  const counted = `${more} ${shown.length > 0 ? "more" : more === 1 ? "host" : "hosts"}`;
  const named = [...(shown.length > 0 ? [shown.join(", ")] : []), ...(more > 0 ? [counted] : [])].join(" and ");
  return `Network only by fetch and urllib.request, only to ${named}`;
}
