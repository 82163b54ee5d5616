import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { Coordinator } from "../app/coordinator.ts";
import { operationsOf, servicesOf } from "../app/services-of.ts";
import type { AnyOperation } from "../operations/operation.ts";
import { inputSchema } from "../operations/operation.ts";
import { mostShown, showInventory } from "./inventory.ts";

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown> & { type: "object" };
  readonly annotations: ToolAnnotations;
}

/**
 * The operations of the chosen toolsets, as the tools that an AI client sees. The same for every client until servers are
 * added or removed: that more is known of a server meanwhile does not change it.
 */
export function createToolDefinitions(coordinator: Coordinator): () => Promise<readonly ToolDefinition[]> {
  let last: { readonly servers: string; readonly definitions: readonly ToolDefinition[] } | undefined;
  return async () => {
    const { libraries } = servicesOf(coordinator);
    const servers = libraries.modules.map(({ name }) => name).join("\n");
    if (last?.servers === servers) return last.definitions;
    const inventory = await libraries.inventory(mostShown);
    const definitions = visibleOperations(coordinator).map((operation) => ({
      name: operation.name,
      description:
        operation.name === "search_tools"
          ? `${operation.description}\n${showInventory(inventory, libraries.modules.length)}`
          : operation.description,
      inputSchema: inputSchema(operation),
      annotations: { readOnlyHint: operation.readOnly ?? false, ...operation.hints },
    }));
    last = { servers, definitions };
    return definitions;
  };
}

export function visibleOperations(coordinator: Coordinator): AnyOperation[] {
  const { toolsets } = servicesOf(coordinator).config;
  return operationsOf(coordinator).filter(({ toolset }) => toolset !== undefined && toolsets.includes(toolset));
}
