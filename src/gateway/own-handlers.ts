import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Coordinator } from "../app/coordinator.ts";
import { servicesOf } from "../app/services-of.ts";
import { plainLine } from "../catalog/plain-text.ts";
import type { AnyOperation } from "../operations/operation.ts";
import { answer } from "./answer.ts";
import type { Handlers } from "./client-request.ts";
import { fixedPrompts, promptHandlers } from "./prompts.ts";
import { resourceHandlers } from "./resources.ts";
import { createToolDefinitions, visibleOperations } from "./tool-definitions.ts";

/** What we answer ourselves, beside what exposed servers do. */
export interface Own {
  readonly handlers: Handlers;
  readonly names: Readonly<Record<"tools" | "prompts", ReadonlySet<string>>>;
}

export const nothing: Own = { handlers: {}, names: { tools: new Set(), prompts: new Set() } };

export function createOwn(coordinator: Coordinator): Own {
  const operations = visibleOperations(coordinator);
  const prompts = fixedPrompts(coordinator);
  const toolDefinitions = createToolDefinitions(coordinator);
  return {
    names: { tools: namesOf(operations), prompts: namesOf(prompts) },
    handlers: {
      "tools/list": async ({ client }) => {
        client.tools ??= await toolDefinitions();
        setImmediate(() => coordinator.warmUp());
        return { tools: client.tools };
      },
      "tools/call": (request) => {
        const name = String(request.params["name"]);
        const operation = operations.find((known) => known.name === name);
        return operation ? answer(operation, request, servicesOf(coordinator)) : unknownTool(name, operations);
      },
      ...resourceHandlers(coordinator),
      ...promptHandlers(prompts),
    },
  };
}

function namesOf(known: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set(known.map(({ name }) => name));
}

/** Models call a server's tool directly now and then: the answer says what to do instead. */
function unknownTool(name: string, operations: readonly AnyOperation[]): CallToolResult {
  const known = operations.map((operation) => operation.name).join(", ");
  const text = `There is no tool "${plainLine(name, 200)}" here, only ${known}. Tools of MCP servers are imported in execute_code; search_tools finds them.`;
  return { content: [{ type: "text", text }], isError: true };
}
