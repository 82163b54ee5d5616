/** A library as far as its names go. */
export interface NamedLibrary {
  readonly server: string;
  readonly module: string;
  readonly names: readonly string[];
  readonly identifiers: readonly string[];
  /** See `foldedNames`. */
  readonly folded: string;
  /** What a folded name of a tool may begin with: nothing, or the folded name of the library. */
  readonly starts: readonly string[];
}

/** The names that may be meant by a query: those that stand in it, and the query itself, last. */
export type NameQuery = readonly { readonly text: string; readonly folded: string; readonly isWhole: boolean }[];

export function nameQuery(query: string): NameQuery {
  const words = new Set(wordsOf(query).filter(looksLikeName));
  return [
    ...Array.from(words, (text) => ({ text, folded: fold(text), isWhole: false })),
    { text: query, folded: fold(query), isWhole: true },
  ];
}

/** A text in which it is quickly seen that a library has no tool of a name, as nearly all have not: every name, folded, in a line. */
export function foldedNames(names: readonly string[], identifiers: readonly string[]): string {
  // Of a name without letters nothing is left behind that of its server; alone, it is all there is.
  const folded = [...names, ...identifiers].flatMap((name) => [bare(name), fold(name)]);
  return `\n${[...new Set(folded)].join("\n")}\n`;
}

/** By position of the tool: 2 if the query is its name, 1 if it is the words of the name or has the name in it. */
export function namedTools(library: NamedLibrary, query: NameQuery): Map<number, 1 | 2> | undefined {
  let found: Map<number, 1 | 2> | undefined;
  for (const { text, folded, isWhole } of query) {
    if (!mayHave(library, folded)) continue;
    found ??= new Map();
    for (const tool of library.names.keys()) {
      if (!fullNames(library, tool).some((name) => fold(name) === folded)) continue;
      const isExact = isName(text, library, tool);
      if (isWhole) found.set(tool, isExact ? 2 : 1);
      else if (isExact) found.set(tool, 1);
    }
  }
  return found;
}

/** Whether a query is nothing but names of these tools. */
export function isAskedByName(
  query: string,
  tools: readonly { readonly library: NamedLibrary; readonly tool: number }[],
): boolean {
  const isNamed = (text: string) => tools.some(({ library, tool }) => isName(text, library, tool));
  const words = wordsOf(query);
  if (isNamed(query)) return words.some(looksLikeName);
  return words.every((word) => looksLikeName(word) && isNamed(word));
}

function wordsOf(query: string): string[] {
  return query.split(/[\s,;"'`()]+/).filter((word) => word !== "");
}

export function nameStarts({ server, module }: Pick<NamedLibrary, "server" | "module">): string[] {
  return [...new Set(["", bare(server), bare(module)])];
}

function mayHave({ starts, folded: lines }: NamedLibrary, folded: string): boolean {
  return starts.some((start) => folded.startsWith(start) && lines.includes(`\n${folded.slice(start.length)}\n`));
}

function fullNames({ server, module, names, identifiers }: NamedLibrary, tool: number): string[] {
  const [name = "", identifier = ""] = [names[tool], identifiers[tool]];
  return [name, identifier, server + name, module + identifier];
}

/** Spelled alike, whatever stands between the words. */
function fold(name: string): string {
  return bare(name) || name;
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[\s._/:-]+/g, "");
}

/** Not a plain word of a sentence: `search` and `find` are tools of some servers. */
function looksLikeName(word: string): boolean {
  return /[\p{L}\p{N}](?:[_./:-]|\p{Lu})[\p{L}\p{N}]/u.test(word);
}

function isName(text: string, { server, module, names, identifiers }: NamedLibrary, tool: number): boolean {
  const wanted = text.trim().toLowerCase();
  return [
    [server, names[tool]],
    [module, identifiers[tool]],
  ].some(([library = "", name = ""]) => {
    const [start, end] = [library.toLowerCase(), name.toLowerCase()];
    return wanted === end || [" ", ".", "/", ":"].some((separator) => wanted === `${start}${separator}${end}`);
  });
}
