import type { Library, Tool } from "./tool.ts";

/** Finds the tools that a query calls by name; tools are numbered in the order given. */
export interface NameLookup {
  /** By number of the tool: 2 if the query is its name, 1 if it is the words of the name or has the name in it. */
  named(query: string): Map<number, 1 | 2>;
}

export interface LibraryTool {
  readonly library: Library;
  readonly tool: Tool;
}

export function createNameLookup(entries: readonly LibraryTool[]): NameLookup {
  const byFoldedName = new Map<string, number[]>();
  entries.forEach(({ library, tool }, number) => {
    const names = [tool.name, tool.identifier, library.server + tool.name, library.module + tool.identifier];
    for (const name of new Set(names.map(fold))) {
      const numbers = byFoldedName.get(name);
      if (numbers) numbers.push(number);
      else byFoldedName.set(name, [number]);
    }
  });
  return {
    named(query) {
      const found = new Map<number, 1 | 2>();
      for (const word of query.split(/[\s,;"'`()]+/).filter(looksLikeName)) {
        for (const number of byFoldedName.get(fold(word)) ?? []) {
          if (isName(word, entries[number])) found.set(number, 1);
        }
      }
      for (const number of byFoldedName.get(fold(query)) ?? []) {
        found.set(number, isName(query, entries[number]) ? 2 : 1);
      }
      return found;
    },
  };
}

/** Spelled alike, whatever stands between the words. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[\s._/:-]+/g, "") || name;
}

/** Not a plain word of a sentence: `search` and `find` are tools of some servers. */
function looksLikeName(word: string): boolean {
  return /[\p{L}\p{N}](?:[_./:-]|\p{Lu})[\p{L}\p{N}]/u.test(word);
}

function isName(text: string, entry: LibraryTool | undefined): boolean {
  const wanted = text.trim().toLowerCase();
  return [
    [entry?.library.server, entry?.tool.name],
    [entry?.library.module, entry?.tool.identifier],
  ].some(([library = "", tool = ""]) => {
    const [start, end] = [library.toLowerCase(), tool.toLowerCase()];
    return wanted === end || [" ", ".", "/", ":"].some((separator) => wanted === `${start}${separator}${end}`);
  });
}
