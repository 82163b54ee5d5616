import type { Tool } from "../catalog/tool.ts";
import { callableOf } from "./callable.ts";
import { docComment } from "./doc-comment.ts";
import { observedNote } from "./observed-note.ts";

/** A tool as the line that a model reads before it calls it, followed by the types that the line names. */
export function signature(
  tool: Tool,
  options: { docs?: boolean; positional?: readonly string[]; mark?: string | undefined } = {},
): string {
  const { parameters, result, aliases, docs } = callableOf(tool, new Set([tool.identifier]), options.positional);
  const comment = options.docs === true ? docComment(docs()) : "";
  const note = [options.mark ?? "", options.docs === true ? "" : observedNote(tool)].filter(Boolean).join("; ");
  const types = [...aliases].map(([name, type]) => `\ntype ${name} = ${type};`);
  return `${comment}${tool.identifier}(${parameters}): ${result}${note && ` // ${note}`}${types.join("")}`;
}
