import type { Library, Tool } from "../catalog/tool.ts";
import { signature } from "../codegen/signature.ts";
import { estimateTokens } from "../runtime/tokens.ts";

export type Detail = "names" | "signatures" | "full";

export interface FoundTool {
  readonly library: Library;
  readonly tool: Tool;
}

/** The import specifier of a library. */
export function specifier(library: { readonly module: string }): string {
  return `mcp_tools/${library.module}`;
}

/** Tools grouped by server, ready to import, as many as fit the budget; `shown` says how many those were. */
export function showTools(
  found: readonly FoundTool[],
  detail: Detail,
  budget: number,
): { text: string; shown: number } {
  const groups = new Map<Library, string[]>();
  let left = budget;
  let shown = 0;
  for (const { library, tool } of found) {
    const text = showTool(tool, detail);
    const cost = estimateTokens(text) + (groups.has(library) ? 0 : 20);
    // The best match is always shown, however long it is: its signature is bounded.
    if (cost > left && shown > 0) break;
    left -= cost;
    shown++;
    const group = groups.get(library);
    if (group) group.push(text);
    else groups.set(library, [text]);
  }
  const text = [...groups].map(([library, tools]) => `${heading(library, detail)}\n${tools.join("\n")}`).join("\n\n");
  return { text, shown };
}

function heading(library: Library, detail: Detail): string {
  const what = library.description ? ` // ${library.description}` : "";
  return detail === "names" ? `"${specifier(library)}"${what}` : `import { … } from "${specifier(library)}";${what}`;
}

function showTool(tool: Tool, detail: Detail): string {
  if (detail === "full") return signature(tool, { docs: true });
  const summary = firstSentence(tool.description || tool.title || "");
  if (detail === "names") return summary ? `${tool.identifier}: ${summary}` : tool.identifier;
  return summary ? `// ${summary}\n${signature(tool)}` : signature(tool);
}

/** Descriptions come from servers: one line, and not much of it. */
export function firstSentence(text: string): string {
  const line = text.trim().split(/\n/, 1)[0] ?? "";
  const sentence = /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
  return sentence.length > 160 ? `${sentence.slice(0, 159)}…` : sentence;
}
