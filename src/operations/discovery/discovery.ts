import * as z from "zod";
import type { Tool } from "../../catalog/tool.ts";
import { CoordinatorError, messageOf } from "../../errors.ts";
import type { ToolAnswer } from "../../runtime/dispatch.ts";
import { findTool } from "../../runtime/libraries/libraries.ts";
import { explainState } from "../../servers/explain-state.ts";
import { defineOperation, type OperationContext } from "../operation.ts";
import type { Services } from "../services.ts";

export function listServers({ libraries, upstreams }: Services) {
  return defineOperation({
    name: "list_servers",
    description: "The configured MCP servers: name, module, description, transport, state, number of tools",
    toolset: "discovery",
    guest: "list_servers",
    readOnly: true,
    hints: { openWorld: false },
    input: z.strictObject({}),
    output: z.array(
      z.object({
        name: z.string(),
        module: z.string(),
        description: z.string(),
        tools: z.number().optional(),
        transport: z.string(),
        state: z.string(),
        note: z.string().optional(),
      }),
    ),
    async run(_input, { may }) {
      const reachable = libraries.inventory().filter(({ name }) => may?.servers?.has(name) ?? true);
      return reachable.map((entry) => {
        const state = upstreams.state(entry.name);
        const told = explainState(entry.name, state);
        const { transport } = libraries.server(entry.name);
        return { ...entry, transport, state: state.state, ...(told && { note: told.note }) };
      });
    },
    show: (servers) =>
      servers.map(({ name, description }) => (description ? `${name}: ${description}` : name)).join("\n"),
  });
}

export function listTools({ libraries }: Services) {
  return defineOperation({
    name: "list_tools",
    description: "The tools of one server",
    toolset: "discovery",
    guest: "list_tools",
    readOnly: true,
    input: z.strictObject({ server_name: z.string() }),
    output: z.array(z.object({ name: z.string(), identifier: z.string(), description: z.string() })),
    async run({ server_name }, context) {
      mayReach(server_name, context);
      const { library } = await libraries.get(server_name);
      return library.tools.map(({ name, identifier, description }) => ({ name, identifier, description }));
    },
    show: (tools) => tools.map(({ name, description }) => (description ? `${name}: ${description}` : name)).join("\n"),
  });
}

export function getToolSchema({ libraries, observations }: Services) {
  return defineOperation({
    name: "get_tool_schema",
    description:
      "One tool as its server describes it: description, input and output JSON Schema, annotations; the schema that results were observed to have where it declares none",
    toolset: "discovery",
    guest: "get_tool_schema",
    readOnly: true,
    input: z.strictObject({ server_name: z.string(), tool_name: z.string() }),
    async run({ server_name, tool_name }, context): Promise<Tool> {
      mayReach(server_name, context);
      const listed = await libraries.get(server_name);
      const tool = findTool(listed, tool_name);
      return observations.shown({ ...listed.library, tools: [tool] }).tools[0] ?? tool;
    },
    show: (tool) => JSON.stringify(tool),
  });
}

/** A run that is limited to some servers learns nothing of the others. */
function mayReach(server: string, { may }: OperationContext): void {
  if (may?.servers?.has(server) ?? true) return;
  throw new CoordinatorError("tool_denied", `This run may not use the server "${server}"`);
}

export function callTool({ dispatch }: Services) {
  return defineOperation({
    name: "call_tool",
    description:
      "Call one tool directly. Prefer execute_code: it chains calls without their results passing through you",
    toolset: "discovery",
    guest: "call_tool",
    readOnly: false,
    input: z.strictObject({
      server_name: z.string(),
      tool_name: z.string(),
      arguments: z.record(z.string(), z.unknown()).optional(),
    }),
    run: ({ server_name, tool_name, arguments: args = {} }, actor): Promise<ToolAnswer> =>
      dispatch({ server: server_name, tool: tool_name, args: actor.run ? args : plain(args) }, actor),
    show({ value }) {
      const data: unknown = JSON.parse(value);
      return typeof data === "string" ? data : value;
    },
    structure: ({ value }) => JSON.parse(value),
    guestValue: ({ value }) => JSON.parse(value),
    content: ({ result }) => contentOf(result),
    meta({ result }) {
      const { _meta: own, structuredContent } = result as { _meta?: object; structuredContent?: unknown };
      return { ...own, ...(structuredContent === undefined && { [madeOfContent]: true }) };
    },
  });
}

/** A program that embeds us may give dates and the like: they are sent as what JSON makes of them. */
function plain(args: Record<string, unknown>): Record<string, unknown> {
  try {
    return JSON.parse(JSON.stringify(args, keepNumbers)) as Record<string, unknown>;
  } catch (thrown) {
    throw new CoordinatorError("input_invalid", `The arguments cannot be sent: ${messageOf(thrown)}`);
  }
}

/** JSON.stringify would make null of a number that JSON cannot carry. */
function keepNumbers(_key: string, value: unknown): unknown {
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  throw new TypeError(`${value} is beyond what a number in JSON can be here`);
}

/** For programs that want to know the server's own result: the structured content of the answer was none of the server's. */
const madeOfContent = "mcp-coordinator/made-of-content";

function contentOf(result: unknown): readonly unknown[] {
  const { content } = result as { content?: unknown };
  return Array.isArray(content) ? content : [];
}
