type ListKind = "tool" | "prompt";

interface CurrentListsOptions {
  /** Another object after each start of the server; undefined while it does not run. */
  readonly connection: (server: string) => object | undefined;
  /** Asks the server again, and holds what it says to the pins. */
  readonly relist: (server: string, kind: ListKind) => Promise<unknown>;
}

/** Whether what a server offers was held to its pins since it was started, and since it said that it changed. */
export interface CurrentLists {
  /** A promise when it has to be asked first; that fails when it cannot be. */
  isCurrent(server: string, kind: ListKind): true | Promise<unknown>;
  /** It says that it offers something else. */
  changed(server: string, kind: ListKind): void;
}

/** One that says with every list that it has changed holds nobody up for ever. */
const mostAsked = 3;

export function createCurrentLists({ connection, relist }: CurrentListsOptions): CurrentLists {
  const current = new Map<string, object>();
  const changes = new Map<string, number>();
  const recheck = async (server: string, kind: ListKind): Promise<void> => {
    const id = `${kind} ${server}`;
    for (let asked = 0; asked < mostAsked; asked++) {
      const before = changes.get(id);
      await relist(server, kind);
      if (changes.get(id) !== before) continue;
      const now = connection(server);
      if (now) current.set(id, now);
      return;
    }
  };
  return {
    isCurrent(server, kind) {
      const now = connection(server);
      return now !== undefined && current.get(`${kind} ${server}`) === now ? true : recheck(server, kind);
    },
    changed(server, kind) {
      const id = `${kind} ${server}`;
      current.delete(id);
      changes.set(id, (changes.get(id) ?? 0) + 1);
    },
  };
}
