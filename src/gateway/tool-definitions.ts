import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { Coordinator } from "../app/coordinator.ts";
import { operationsOf, servicesOf } from "../app/services-of.ts";
import type { AnyOperation } from "../operations/operation.ts";
import { inputSchema } from "../operations/operation.ts";
import { showInventory } from "./inventory.ts";

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
    const inventory = await libraries.inventory();
    const definitions = visibleOperations(coordinator).map((operation) => ({
      name: operation.name,
      description:
        operation.name === "search_tools"
          ? `${operation.description}\n${showInventory(inventory)}`
          : operation.description,
      inputSchema: inputSchema(operation),
      annotations: annotationsOf(operation),
    }));
    last = { servers, definitions };
    return definitions;
  };
}

function annotationsOf({
  readOnly,
  hints: { destructive, idempotent, openWorld } = {},
}: AnyOperation): ToolAnnotations {
  return {
    readOnlyHint: readOnly ?? false,
    ...(destructive !== undefined && { destructiveHint: destructive }),
    ...(idempotent !== undefined && { idempotentHint: idempotent }),
    ...(openWorld !== undefined && { openWorldHint: openWorld }),
  };
}

export function visibleOperations(coordinator: Coordinator): AnyOperation[] {
  const { toolsets } = servicesOf(coordinator).config;
  return operationsOf(coordinator).filter(({ toolset }) => toolset !== undefined && toolsets.includes(toolset));
}
