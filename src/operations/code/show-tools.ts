import type { Library, Tool } from "../../catalog/tool.ts";
import { isUndescribed } from "../../catalog/undescribed.ts";
import { pythonSignature } from "../../codegen/python/signature.ts";
import { signature } from "../../codegen/signature.ts";
import { estimateTokens } from "../../runtime/results/tokens.ts";
import type { Language } from "../../sandbox/engine.ts";

export type Detail = "names" | "signatures" | "full";

export interface FoundTool {
  readonly library: Library;
  readonly tool: Tool;
}

/** How a language speaks of libraries and tools. */
export interface Wording {
  /** The import specifier of a library. */
  specifier(library: { readonly module: string }): string;
  /** The statement that imports a tool, or any name. */
  importing(name: string, library: { readonly module: string }): string;
  signature(tool: Tool, options?: { docs?: boolean }): string;
  readonly end: ";" | "";
  readonly comment: "//" | "#";
}

export const wordings: Readonly<Record<Language, Wording>> = {
  typescript: {
    specifier: ({ module }) => `mcp_tools/${module}`,
    importing: (name, { module }) => `import { ${name} } from "mcp_tools/${module}"`,
    signature,
    end: ";",
    comment: "//",
  },
  python: {
    specifier: ({ module }) => `mcp_tools.${module}`,
    importing: (name, { module }) => `from mcp_tools.${module} import ${name}`,
    signature: pythonSignature,
    end: "",
    comment: "#",
  },
};

interface ShowOptions {
  readonly detail: Detail;
  readonly language: Language;
  /** The most tokens that the text may cost. */
  readonly budget: number;
}

/** Tools grouped by server, ready to import, as many as fit the budget; `shown` says how many those were. */
export function showTools(found: readonly FoundTool[], options: ShowOptions): { text: string; shown: number } {
  const { detail, language } = options;
  const wording = wordings[language];
  const groups = new Map<Library, string[]>();
  let left = options.budget;
  let shown = 0;
  for (const { library, tool } of found) {
    const text = showTool(tool, detail, wording);
    const cost = estimateTokens(text) + (groups.has(library) ? 0 : 20);
    // The best match is always shown, however long it is: its signature is bounded.
    if (cost > left && shown > 0) break;
    left -= cost;
    shown++;
    const group = groups.get(library);
    if (group) group.push(text);
    else groups.set(library, [text]);
  }
  const text = [...groups]
    .map(([library, tools]) => `${heading(library, detail, wording)}\n${tools.join("\n")}`)
    .join("\n\n");
  return { text, shown };
}

function heading(library: Library, detail: Detail, { specifier, importing, end, comment }: Wording): string {
  const what = library.description ? ` ${comment} ${library.description}` : "";
  if (detail === "names") return `"${specifier(library)}"${what}`;
  return `${importing("…", library)}${end}${what}`;
}

function showTool(tool: Tool, detail: Detail, { signature, comment }: Wording): string {
  const flaw = isUndescribed(tool) ? ` ${comment} its server does not say which arguments it takes` : "";
  if (detail === "full") return signature(tool, { docs: true }) + flaw;
  const summary = firstSentence(tool.description || tool.title || "");
  if (detail === "names") return summary ? `${tool.identifier}: ${summary}` : tool.identifier;
  return (summary ? `${comment} ${summary}\n${signature(tool)}` : signature(tool)) + flaw;
}

/** Descriptions come from servers: one line, and not much of it. */
export function firstSentence(text: string): string {
  const line = text.trim().split(/\n/, 1)[0] ?? "";
  const sentence = /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
  return sentence.length > 160 ? `${sentence.slice(0, 159)}…` : sentence;
}
