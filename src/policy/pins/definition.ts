import { createHash } from "node:crypto";
import { sortedJson } from "../../catalog/sorted-json.ts";
import type { Tool } from "../../catalog/tool.ts";

/** What of a server can be pinned, beside how it is started or reached. */
export type DefinitionKind = "tool" | "prompt" | "template" | "instructions";

/** What a server says of one thing that it offers: the parts that a person or a model goes by. */
export interface Definition {
  readonly kind: DefinitionKind;
  readonly name: string;
  readonly parts: Readonly<Record<string, unknown>>;
}

/** A tool as it was read, without the name that guests have for it. */
export function toolDefinition(tool: Tool): Definition {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return { kind: "tool", name, parts: withoutAbsent({ title, description, inputSchema, outputSchema, annotations }) };
}

/** The tool that a definition is of, under the name that guests have for it. */
export function toolOf({ name, parts }: Definition, identifier: string): Tool {
  return { description: "", inputSchema: {}, ...parts, name, identifier } as Tool;
}

const listed = {
  prompt: { key: "name", parts: ["title", "description", "arguments"] },
  template: { key: "uriTemplate", parts: ["name", "title", "description", "mimeType"] },
} as const;

/** A prompt or a template as a server lists it; undefined for what has no name. */
export function listedDefinition(kind: keyof typeof listed, item: unknown): Definition | undefined {
  const fields = item as Readonly<Record<string, unknown>> | null;
  const { key, parts } = listed[kind];
  const name = fields?.[key];
  if (typeof name !== "string") return undefined;
  return { kind, name, parts: withoutAbsent(Object.fromEntries(parts.map((part) => [part, fields?.[part]]))) };
}

export function instructionsDefinition(text: unknown): Definition {
  return { kind: "instructions", name: "", parts: withoutAbsent({ text }) };
}

/** The same for every order of keys, and for every server and machine. */
export function hashOf({ kind, name, parts }: Definition): string {
  return createHash("sha256")
    .update(sortedJson([kind, name, parts]))
    .digest("hex");
}

function withoutAbsent(parts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}
