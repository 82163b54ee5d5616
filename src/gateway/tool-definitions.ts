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
 * added or removed, or rules come that have a person asked: that more is known of a server meanwhile does not change it.
 */
export function createToolDefinitions(coordinator: Coordinator): () => Promise<readonly ToolDefinition[]> {
  let last: { readonly about: string; readonly definitions: readonly ToolDefinition[] } | undefined;
  return async () => {
    const { libraries } = servicesOf(coordinator);
    const operations = visibleOperations(coordinator);
    const about = [...libraries.modules, ...operations].map(({ name }) => name).join("\n");
    if (last?.about === about) return last.definitions;
    const inventory = await libraries.inventory(mostShown);
    const definitions = operations.map((operation) => ({
      name: operation.name,
      description:
        operation.name === "search_tools"
          ? `${operation.description}\n${showInventory(inventory, libraries.modules.length)}`
          : operation.description,
      inputSchema: inputSchema(operation),
      annotations: { readOnlyHint: operation.readOnly ?? false, ...operation.hints },
    }));
    last = { about, definitions };
    return definitions;
  };
}

export function visibleOperations(coordinator: Coordinator): AnyOperation[] {
  const { config, policy } = servicesOf(coordinator);
  const { toolsets } = config;
  const isVisible = ({ name, toolset }: AnyOperation): boolean =>
    toolset !== undefined && (toolsets.includes(toolset) || (name === whenAsked && policy.policy.canAsk));
  return operationsOf(coordinator).filter(isVisible);
}

/** Those that clients may call; one of them they see only at times. */
export function callableOperations(coordinator: Coordinator): AnyOperation[] {
  const { toolsets } = servicesOf(coordinator).config;
  return operationsOf(coordinator).filter(
    ({ name, toolset }) => toolset !== undefined && (toolsets.includes(toolset) || name === whenAsked),
  );
}

/** What clients see, whatever they chose, while a run may have to wait for a person. */
const whenAsked = "resume_run";
