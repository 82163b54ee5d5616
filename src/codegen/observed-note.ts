import type { Tool } from "../catalog/tool.ts";

/** How long the type of what was only observed may be. */
export const observedLength = 1_500;

/** Says that a result's type is what was seen, and not what the server promises; empty where it promises one, or nothing was seen. */
export function observedNote({ outputSchema, observed }: Tool): string {
  if (outputSchema !== undefined || observed === undefined) return "";
  return `observed in ${observed.results} ${observed.results === 1 ? "result" : "results"}`;
}

/** The same as a sentence of the docs. */
export function observedDocs(tool: Tool): string {
  const note = observedNote(tool);
  return note === "" ? "" : `The type of the result was ${note}; the server declares none.`;
}
