import * as z from "zod";
import type { JsonSchema } from "../catalog/tool.ts";
import { signature } from "../codegen/signature.ts";
import { type AnyOperation, inputSchema } from "./operation.ts";

/** The declarations of the module `coordinator`: what guests may do with us, from the operations themselves. */
export function coordinatorDeclarations(operations: readonly AnyOperation[]): string {
  const groups = new Map<string, string[]>();
  const lines: string[] = [];
  for (const operation of operations) {
    if (operation.guest === undefined) continue;
    const [group, member] = operation.guest.split(".") as [string, string?];
    const text = (identifier: string) => signature({ ...asTool(operation), identifier });
    if (member === undefined) lines.push(`export declare function ${text(group)};`);
    else groups.set(group, [...(groups.get(group) ?? []), `  ${text(member)};`]);
  }
  for (const [group, members] of groups) lines.push(`export declare const ${group}: {\n${members.join("\n")}\n};`);
  return `${lines.join("\n")}\nexport {};\n`;
}

function asTool(operation: AnyOperation) {
  const { name, description, output } = operation;
  return {
    name,
    description,
    identifier: name,
    inputSchema: inputSchema(operation) as JsonSchema,
    ...(output && { outputSchema: z.toJSONSchema(output) as JsonSchema }),
  };
}
