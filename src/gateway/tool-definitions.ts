import type { Toolset } from "../config/schema.ts";
import type { AnyOperation } from "../operations/operation.ts";
import { inputSchema } from "../operations/operation.ts";

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown> & { type: "object" };
  readonly annotations: { readonly readOnlyHint: boolean };
}

/** The operations of the chosen toolsets, as the tools that an AI client sees. */
export function toolDefinitions(
  operations: readonly AnyOperation[],
  toolsets: readonly Toolset[],
  inventory: string,
): ToolDefinition[] {
  return visibleOperations(operations, toolsets).map((operation) => ({
    name: operation.name,
    description: operation.name === "search_tools" ? `${operation.description}\n${inventory}` : operation.description,
    inputSchema: inputSchema(operation),
    annotations: { readOnlyHint: operation.readOnly },
  }));
}

export function visibleOperations(operations: readonly AnyOperation[], toolsets: readonly Toolset[]): AnyOperation[] {
  return operations.filter(({ toolset }) => toolset !== undefined && toolsets.includes(toolset));
}
