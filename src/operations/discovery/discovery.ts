import * as z from "zod";
import type { Tool } from "../../catalog/tool.ts";
import { CoordinatorError } from "../../errors.ts";
import { findTool } from "../../runtime/libraries/libraries.ts";
import { decided } from "../../runtime/results/unwrap.ts";
import { explainState } from "../../servers/explain-state.ts";
import { serverRefusal } from "../../servers/pins/pin-refusal.ts";
import { plural } from "../../system/plural.ts";
import { defineOperation, type OperationContext } from "../operation.ts";
import {
  deniedTool,
  facesOf,
  isSparedDenied,
  offeredTools,
  type PolicyMark,
  sayDenied,
} from "../policy/offered-tools.ts";
import type { Services } from "../services.ts";

export function listServers({ libraries, upstreams, pins, servers }: Services) {
  return defineOperation({
    name: "list_servers",
    description: "The configured MCP servers: name, module, description, transport, state, number of tools",
    toolset: "discovery",
    guest: "list_servers",
    readOnly: true,
    hints: { openWorldHint: false },
    input: () => z.strictObject({}),
    output: () =>
      z.array(
        z.object({
          name: z.string(),
          module: z.string(),
          description: z.string(),
          tools: z.int().optional(),
          transport: z.string(),
          state: z.string(),
          note: z.string().optional(),
        }),
      ),
    async run(_input, { may }) {
      const isReachable = ({ name }: { readonly name: string }) => may?.servers?.has(name) ?? true;
      const standings = await pins.servers.load();
      const usable = (await libraries.inventory()).filter(isReachable).map((entry) => {
        const { transport } = libraries.server(entry.name);
        const standing = standings.get(entry.name);
        const refusal = standing && serverRefusal(standing, servers.file);
        if (refusal) return { ...entry, transport, state: standing.state, note: `${refusal.message}. ${refusal.hint}` };
        const state = upstreams.state(entry.name);
        const told = explainState(entry.name, state);
        return { ...entry, transport, state: state.state as string, ...(told && { note: told.note }) };
      });
      const leftOut = libraries.leftOut
        .filter(isReachable)
        .map(({ name, module, transport, description = "", ...why }) => {
          return { name, module, description, transport, state: "left out", note: `${why.reason}. ${why.fix}` };
        });
      return [...usable, ...leftOut];
    },
    present: (servers) => ({ text: servers.map(showServer).join("\n") || "No servers are configured." }),
  });
}

export function listTools(services: Services) {
  return defineOperation({
    name: "list_tools",
    description: "The tools of one server",
    toolset: "discovery",
    guest: "list_tools",
    example: { server_name: "github" },
    readOnly: true,
    input: () => z.strictObject({ server_name: z.string() }),
    output: () => z.array(z.object({ name: z.string(), identifier: z.string(), description: z.string() })),
    async run({ server_name }, context) {
      mayReach(server_name, context);
      const { library } = await services.libraries.get(server_name, context);
      const offered = await offeredTools(services, facesOf(services, context));
      const isSpared = isSparedDenied(context);
      const seen = library.tools.filter((tool) => !(isSpared && offered?.isHidden(server_name, tool)));
      const tools = seen.map((tool) => {
        const { name, identifier, description } = tool;
        // Guests have a type for what they get, and this is no part of it.
        const mark = context.run ? undefined : offered?.markOf(server_name, tool);
        return { name, identifier, description, ...(mark && { policy: mark }) };
      });
      return { tools, denied: library.tools.length - seen.length };
    },
    present: ({ tools, denied }) => ({
      data: tools,
      text: [showDescribed(tools), sayDenied(denied)].filter(Boolean).join("\n") || "It has no tools.",
    }),
  });
}

interface ListedServer {
  readonly name: string;
  readonly description: string;
  readonly transport: string;
  readonly state: string;
  readonly tools?: number | undefined;
  readonly note?: string | undefined;
}

function showServer({ name, description, transport, state, tools, note }: ListedServer): string {
  const count = tools === undefined ? "tools not known yet" : plural(tools, "tool");
  const about = [transport, state, ...(state === "left out" ? [] : [count])].join(", ");
  return [`${name} (${about})`, ...(description ? [description] : []), ...(note ? [note] : [])].join(": ");
}

interface DescribedTool {
  readonly name: string;
  readonly description: string;
  readonly policy?: PolicyMark;
}

function showDescribed(all: readonly DescribedTool[]): string {
  const line = ({ name, description, policy }: DescribedTool) =>
    `${description ? `${name}: ${description}` : name}${policy ? ` [${policy}]` : ""}`;
  return all.map(line).join("\n");
}

export function getToolSchema(services: Services) {
  const { libraries, observations } = services;
  return defineOperation({
    name: "get_tool_schema",
    description:
      "One tool as its server describes it: description, input and output JSON Schema, annotations; the schema that results were observed to have where it declares none",
    toolset: "discovery",
    guest: "get_tool_schema",
    example: { server_name: "github", tool_name: "search_issues" },
    readOnly: true,
    input: () => z.strictObject({ server_name: z.string(), tool_name: z.string() }),
    async run({ server_name, tool_name }, context): Promise<Tool> {
      mayReach(server_name, context);
      const listed = await libraries.get(server_name, context);
      const tool = findTool(listed, tool_name);
      const faces = facesOf(services, context);
      const offered = isSparedDenied(context) ? await offeredTools(services, faces) : undefined;
      if (offered?.isHidden(server_name, tool)) throw await deniedTool(services, server_name, tool, faces);
      const shown = await observations.shown({ ...listed.library, tools: [tool] });
      return shown.tools[0] ?? tool;
    },
  });
}

/** A run that is limited to some servers learns nothing of the others. */
function mayReach(server: string, { may }: OperationContext): void {
  if (may?.servers?.has(server) ?? true) return;
  throw new CoordinatorError("tool_denied", `This run may not use the server "${server}"`);
}

/** The server's own result, and its value as JSON. */
export interface CallToolAnswer {
  readonly result: unknown;
  readonly value: string;
  readonly rest?: string;
}

export function callTool({ dispatch }: Services) {
  return defineOperation({
    name: "call_tool",
    description:
      "Call one tool directly. Prefer execute_code: it chains calls without their results passing through you",
    toolset: "discovery",
    guest: "call_tool",
    example: { server_name: "github", tool_name: "search_issues", arguments: { query: "open" } },
    input: () =>
      z.strictObject({
        server_name: z.string(),
        tool_name: z.string(),
        arguments: z.record(z.string(), z.unknown()).optional(),
      }),
    async run({ server_name, tool_name, arguments: args = {} }, actor): Promise<CallToolAnswer> {
      const { result, unwrapped } = await dispatch({ server: server_name, tool: tool_name, args }, actor);
      return { result, ...(await decided(unwrapped, actor.caller?.id ?? actor.run?.id ?? "")) };
    },
    present({ value, result }) {
      const data: unknown = JSON.parse(value);
      const { content, _meta, structuredContent } = result as Partial<Record<string, unknown>> & { _meta?: object };
      return {
        data,
        text: typeof data === "string" ? data : value,
        content: Array.isArray(content) ? content : [],
        meta: { ..._meta, ...(structuredContent === undefined && { [madeOfContent]: true }) },
      };
    },
  });
}

/** For programs that want to know the server's own result: the structured content of the answer was none of the server's. */
const madeOfContent = "mcp-coordinator/made-of-content";
