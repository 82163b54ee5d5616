/** Definitions of more tools than this are not held in memory; with those of the library that was used last. */
const mostTools = 5_000;

interface WithTools {
  readonly tools: ReadonlyMap<string, unknown>;
}

/** The libraries that were used last, by server. */
export interface RecentLibraries<Library extends WithTools> {
  get(server: string): Library | undefined;
  set(server: string, library: Library): void;
  delete(server: string): void;
}

export function createRecentLibraries<Library extends WithTools>(): RecentLibraries<Library> {
  /** The one that was used last is last. */
  const libraries = new Map<string, Library>();
  let tools = 0;
  const remove = (server: string): void => {
    tools -= libraries.get(server)?.tools.size ?? 0;
    libraries.delete(server);
  };
  const set: RecentLibraries<Library>["set"] = (server, library) => {
    remove(server);
    libraries.set(server, library);
    tools += library.tools.size;
    for (const oldest of libraries.keys()) {
      if (tools <= mostTools || oldest === server) break;
      remove(oldest);
    }
  };
  return {
    get(server) {
      const library = libraries.get(server);
      if (library) set(server, library);
      return library;
    },
    set,
    delete: remove,
  };
}
