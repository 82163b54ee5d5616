/** An entry of a server's list, as the server sent it. */
export type Item = Readonly<Record<string, unknown>>;

/** What one server has under its own names. */
export interface Listing<Owner> {
  readonly owner: Owner;
  /** The server's own name, for names that two have. */
  readonly server: string;
  /** Put before every name; undefined when it is put only where names collide. */
  readonly prefix: string | undefined;
  readonly items: readonly Item[];
}

export interface Named<Owner> {
  readonly owner: Owner;
  /** The name that the server knows. */
  readonly name: string;
  /** The entry under the name that clients see. */
  readonly item: Item;
}

/**
 * The names under which clients see the tools, or prompts, of several servers: their own, with the server's before it
 * where another has the same. It does not depend on the order of the servers.
 */
export function publicNames<Owner>(
  taken: ReadonlySet<string>,
  listings: readonly Listing<Owner>[],
): Map<string, Named<Owner>> {
  const own = listings.flatMap(({ prefix = "", items }) => items.map(({ name }) => `${prefix}${name}`));
  const isShared = (name: string) => taken.has(name) || own.indexOf(name) !== own.lastIndexOf(name);
  const named = new Map<string, Named<Owner>>();
  for (const { owner, server, prefix, items } of listings) {
    for (const item of items) {
      const plain = `${prefix ?? ""}${item["name"]}`;
      const name = isShared(plain) ? `${server}_${plain}` : plain;
      if (!taken.has(name) && !named.has(name)) {
        named.set(name, { owner, name: String(item["name"]), item: name === item["name"] ? item : { ...item, name } });
      }
    }
  }
  return named;
}
