import { stopWords } from "../../catalog/search/stop-words.ts";
import { nameWords, stem, words } from "../../catalog/search/words.ts";
import { summaryOf } from "../../catalog/summary.ts";
import type { Library, Tool } from "../../catalog/tool.ts";
import { isUndescribed } from "../../catalog/undescribed.ts";
import { observedNote } from "../../codegen/observed-note.ts";
import { describedParameters } from "../../codegen/parameter-docs.ts";
import { pythonSignature } from "../../codegen/python/signature.ts";
import { signature } from "../../codegen/signature.ts";
import { sketchTools } from "../../codegen/sketch.ts";
import { estimateTokens } from "../../runtime/results/tokens.ts";
import type { Language } from "../../sandbox/engine.ts";
import type { PolicyMark } from "../policy/offered-tools.ts";

export type Detail = "names" | "signatures" | "full";

export interface FoundTool {
  readonly library: Library;
  readonly tool: Tool;
  /** What rules say of it, where they say something. */
  readonly mark?: PolicyMark | undefined;
}

/** How a language speaks of libraries and tools. */
export interface Wording {
  /** The import specifier of a library. */
  specifier(library: { readonly module: string }): string;
  /** The statement that imports a tool, or any name. */
  importing(name: string, library: { readonly module: string }): string;
  /** A tool with exact types, what rules say of it, and all that its server says of it. */
  whole(tool: Tool, mark?: PolicyMark): string;
  readonly end: ";" | "";
  readonly comment: "//" | "#";
}

export const wordings: Readonly<Record<Language, Wording>> = {
  typescript: {
    specifier: ({ module }) => `mcp_tools/${module}`,
    importing: (name, { module }) => `import { ${name} } from "mcp_tools/${module}"`,
    whole: (tool, mark) => signature(tool, { docs: true, mark }),
    end: ";",
    comment: "//",
  },
  python: {
    specifier: ({ module }) => `mcp_tools.${module}`,
    importing: (name, { module }) => `from mcp_tools.${module} import ${name}`,
    whole: (tool, mark) => pythonSignature(tool, { docs: true, mark }),
    end: "",
    comment: "#",
  },
};

/** A tool as a program refers to it. */
export function importable({ library, tool }: FoundTool, language: Language) {
  const { server } = library;
  return { server, name: tool.name, import: wordings[language].importing(tool.identifier, library) };
}

/** A text, and how many of the tools are in it. */
export interface ShownTools {
  readonly text: string;
  readonly shown: number;
}

/** So much is spent on what parameters mean, where few tools are shown. */
const docsTokens = 350;

/**
 * The first tools with their signatures, as many as wanted and as fit, the others by name. With few tools their parameters are
 * explained too.
 */
export function showFound(
  found: readonly FoundTool[],
  { language, most, budget }: { readonly language: Language; readonly most: number; readonly budget: number },
): ShownTools {
  const texts = (signed: number) => {
    const named = showNames(found.slice(signed), budget / 4);
    const text = [showSigned(found.slice(0, signed), language), named.text].filter(Boolean).join("\n\n");
    return { text, shown: signed + named.shown };
  };
  // The best match is always shown, however long it is: its signature is bounded.
  const signed = Math.max(
    1,
    mostFitting(Math.min(most, found.length), (count) => fits(texts(count).text, budget)),
  );
  if (signed < found.length) return texts(signed);
  const explained = showSigned(found, language, { withParameters: true });
  return fits(explained, docsTokens) ? { text: explained, shown: found.length } : texts(signed);
}

/** All tools of a server: with signatures if they fit, else with less of them, else each in a line, else by name. */
export function showListed(found: readonly FoundTool[], language: Language, budget: number): ShownTools {
  const wording = wordings[language];
  const library = found[0]?.library;
  if (!library) return { text: "", shown: 0 };
  const example = `query ${JSON.stringify(found[0]?.tool.identifier)}`;
  const resultless = `\n\nResults are left out; to see them, search for names: ${example}.`;
  const nameless = `\n\nFor signatures, search for names: ${example}.`;
  const lines = () => found.map(({ tool }) => named(tool, library)).join("\n");
  const names = () => found.map(({ tool }) => tool.identifier).join(", ");
  const texts = [
    () => showSigned(found, language),
    () => showSigned(found, language, { withResults: false }) + resultless,
    () => showSigned(found, language, { withResults: false, withSummaries: false }) + resultless,
    () => `${heading(library, wording)}\n${lines()}${nameless}`,
    () => `${heading(library, wording)}\n${names()}${nameless}`,
  ];
  for (const print of texts) {
    const text = print();
    if (fits(text, budget)) return { text, shown: found.length };
  }
  const some = showNames(found, budget);
  return { ...some, text: some.text + nameless };
}

/** Each in a line, or with all that is known of it: as many as fit. */
export function showInOrder(
  found: readonly FoundTool[],
  { language, detail, budget }: { readonly language: Language; readonly detail: Detail; readonly budget: number },
): ShownTools {
  const wording = wordings[language];
  const print = ({ library, tool, mark }: FoundTool) =>
    detail === "full" ? wording.whole(tool, mark) + remark({ tool }, wording, false) : named(tool, library);
  const text = (count: number) => grouped(found.slice(0, count), wording, print);
  const shown = Math.max(
    1,
    mostFitting(found.length, (count) => fits(text(count), budget)),
  );
  return { text: text(shown), shown: Math.min(shown, found.length) };
}

/** Names behind their servers. */
function showNames(found: readonly FoundTool[], budget: number): ShownTools {
  if (found.length === 0) return { text: "", shown: 0 };
  const names = found.map(({ library, tool }) => `${library.module}.${tool.identifier}`);
  const text = (count: number) => `More: ${names.slice(0, count).join(", ")}`;
  const shown = mostFitting(names.length, (count) => fits(text(count), budget));
  return shown === 0 ? { text: "", shown } : { text: text(shown), shown };
}

/** What is said of each tool besides its parameters' names and types. */
interface Parts {
  readonly withSummaries?: boolean;
  readonly withParameters?: boolean;
  readonly withResults?: boolean;
}

function showSigned(
  found: readonly FoundTool[],
  language: Language,
  { withSummaries = true, withParameters = false, withResults = true }: Parts = {},
): string {
  const wording = wordings[language];
  const { calls, types } = sketchTools(
    found.map(({ tool }) => tool),
    language,
    withResults ? {} : { mostOfResult: 0 },
  );
  const print = ({ library, tool, mark }: FoundTool, index: number) => {
    const summary = withSummaries ? telling(tool, library) : "";
    const call = `${calls[index]}${remark({ tool, mark }, wording)}`;
    const about = withParameters ? describedParameters(tool).map((line) => `${wording.comment}   ${line}`) : [];
    return [...(summary === "" ? [] : [`${wording.comment} ${summary}`]), ...about, call].join("\n");
  };
  return [grouped(found, wording, print), types.join("\n")].filter(Boolean).join("\n\n");
}

/** By server, each under the line that imports from it. */
function grouped(
  found: readonly FoundTool[],
  wording: Wording,
  print: (tool: FoundTool, index: number) => string,
): string {
  const groups = new Map<string, string[]>();
  for (const [index, one] of found.entries()) {
    const group = groups.get(one.library.server) ?? [heading(one.library, wording)];
    group.push(print(one, index));
    groups.set(one.library.server, group);
  }
  return [...groups.values()].map((lines) => lines.join("\n")).join("\n\n");
}

function heading(library: Library, { importing, end, comment }: Wording): string {
  const what = library.description ? ` ${comment} ${library.description}` : "";
  return `${importing("…", library)}${end}${what}`;
}

function named(tool: Tool, library: Library): string {
  const summary = telling(tool, library);
  return summary === "" ? tool.identifier : `${tool.identifier}: ${summary}`;
}

/** What a tool's server says of it, unless its name says as much. */
function telling({ identifier, description, title = "" }: Tool, { server }: Library): string {
  const summary = summaryOf(description || title);
  const said = new Set([...nameWords(identifier), ...nameWords(server)].map(stem));
  const isSaid = words(summary).every((word) => stopWords.has(word) || said.has(stem(word)));
  return isSaid ? "" : summary;
}

/** What is to be known of a signature: what it does not say, and what it only supposes. */
function remark({ tool, mark }: Omit<FoundTool, "library">, { comment }: Wording, isSketch = true): string {
  const remarks = [
    mark ?? "",
    isUndescribed(tool) ? "its server does not say which arguments it takes" : "",
    isSketch ? observedNote(tool) : "",
  ].filter(Boolean);
  return remarks.length === 0 ? "" : ` ${comment} ${remarks.join("; ")}`;
}

function fits(text: string, budget: number): boolean {
  return estimateTokens(text) <= budget;
}

/** The highest number up to `most` for which it holds, where it holds for all below it; 0 when for none. */
export function mostFitting(most: number, holds: (count: number) => boolean): number {
  if (most === 0 || holds(most)) return most;
  let [fit, tooMany] = [0, most];
  while (tooMany - fit > 1) {
    const middle = Math.floor((fit + tooMany) / 2);
    if (holds(middle)) fit = middle;
    else tooMany = middle;
  }
  return fit;
}
