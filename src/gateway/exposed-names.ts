/** An entry of a server's list, as the server sent it. */
export type Item = Readonly<Record<string, unknown>>;

interface Owner {
  /** Put before names that two servers have. */
  readonly name: string;
  /** Put before every name. */
  readonly prefix: string | undefined;
}

export interface Named<Server> {
  readonly owner: Server;
  /** The name that the server knows. */
  readonly name: string;
  /** The entry under the name that clients see. */
  readonly item: Item;
}

/**
 * The names under which clients see the tools, or prompts, of several servers: their own, with the server's before it
 * where another has the same. It does not depend on the order of the servers.
 */
export function publicNames<Server extends Owner>(
  taken: ReadonlySet<string>,
  listings: readonly { readonly owner: Server; readonly items: readonly Item[] }[],
): Map<string, Named<Server>> {
  const plainName = ({ prefix = "" }: Owner, { name }: Item) => `${prefix}${name}`;
  const plain = listings.flatMap(({ owner, items }) => items.map((item) => plainName(owner, item)));
  const isShared = (name: string) => taken.has(name) || plain.indexOf(name) !== plain.lastIndexOf(name);
  const named = new Map<string, Named<Server>>();
  for (const { owner, items } of listings) {
    for (const item of items) {
      const own = plainName(owner, item);
      const name = isShared(own) ? `${owner.name}_${own}` : own;
      if (!taken.has(name) && !named.has(name)) {
        named.set(name, { owner, name: String(item["name"]), item: name === item["name"] ? item : { ...item, name } });
      }
    }
  }
  return named;
}
