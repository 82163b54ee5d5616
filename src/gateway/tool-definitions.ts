import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { Toolset } from "../config/schema.ts";
import type { AnyOperation } from "../operations/operation.ts";
import { inputSchema } from "../operations/operation.ts";

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown> & { type: "object" };
  readonly annotations: ToolAnnotations;
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
    annotations: annotationsOf(operation),
  }));
}

function annotationsOf({
  readOnly,
  hints: { destructive, idempotent, openWorld } = {},
}: AnyOperation): ToolAnnotations {
  return {
    readOnlyHint: readOnly,
    ...(destructive !== undefined && { destructiveHint: destructive }),
    ...(idempotent !== undefined && { idempotentHint: idempotent }),
    ...(openWorld !== undefined && { openWorldHint: openWorld }),
  };
}

export function visibleOperations(operations: readonly AnyOperation[], toolsets: readonly Toolset[]): AnyOperation[] {
  return operations.filter(({ toolset }) => toolset !== undefined && toolsets.includes(toolset));
}
