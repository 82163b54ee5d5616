/** Tools that stand beside those that were found, by name. */
export interface AlsoNamed {
  readonly also: readonly {
    /** That of their library. */
    readonly key: string;
    readonly names: readonly string[];
  }[];
  /** How many more the same libraries have. */
  readonly alsoLeftOut: number;
}

interface Placed {
  readonly library: {
    readonly key: string;
    readonly names: readonly string[];
    /** Tools that the configuration leaves out, by position. */
    readonly leftOut: ReadonlySet<number>;
  };
  readonly tool: number;
}

const mostServers = 3;
const mostNames = 24;

export const noneNamed: AlsoNamed = { also: [], alsoLeftOut: 0 };

/**
 * The other tools of the first servers of `shown`: a model that sees one tool of a server often wants the one beside it. Those that
 * `ranked` has come first, as they stand there, then the others in the order of their server's list.
 */
export function alsoNamed(shown: readonly Placed[], ranked: readonly Placed[]): AlsoNamed {
  const servers = [...new Set(shown.map(({ library }) => library))].slice(0, mostServers);
  const isShown = new Set(shown.map(({ library, tool }) => `${tool} ${library.key}`));
  const waiting = new Map<string, Placed>();
  const add = (one: Placed): void => {
    const id = `${one.tool} ${one.library.key}`;
    if (!isShown.has(id) && !one.library.leftOut.has(one.tool)) waiting.set(id, one);
  };
  for (const one of ranked) if (servers.includes(one.library)) add(one);
  for (const library of servers) for (const tool of library.names.keys()) add({ library, tool });
  const named = [...waiting.values()].slice(0, mostNames);
  const also = servers.map((library) => {
    const own = named.filter((one) => one.library === library);
    return { key: library.key, names: own.map(({ tool }) => library.names[tool] ?? "") };
  });
  return { also: also.filter(({ names }) => names.length > 0), alsoLeftOut: waiting.size - named.length };
}
