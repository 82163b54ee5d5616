import type { Tool } from "../../catalog/tool.ts";
import { observedNote } from "../observed-note.ts";
import { callableOf } from "./callable.ts";
import { printDeclared } from "./declared-type.ts";
import { docstring } from "./docstring.ts";
import { headerOf } from "./function-stub.ts";
import { createVocabulary } from "./vocabulary.ts";

/** A tool as the line that a model reads before it calls it, followed by the types that the line names. */
export function pythonSignature(tool: Tool, options: { docs?: boolean; mark?: string | undefined } = {}): string {
  const vocabulary = createVocabulary(new Set());
  const callable = callableOf(tool, { taken: new Set([tool.identifier]), vocabulary, exact: true });
  const types = [...callable.declared].map(
    ([name, type]) => `\n${printDeclared(name, type, { vocabulary, short: true })}`,
  );
  const note = [options.mark ?? "", options.docs === true ? "" : observedNote(tool)].filter(Boolean).join("; ");
  const docs = options.docs === true ? `\n${docstring(callable.docs(), "    ").trimEnd()}` : "";
  return `${headerOf(tool.identifier, callable)}${note && `  # ${note}`}${docs.trimEnd()}${types.join("")}`;
}
