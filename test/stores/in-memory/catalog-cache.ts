import type { CatalogCache } from "../../../src/runtime/libraries/catalog-cache.ts";

export function createCatalogsInMemory(): CatalogCache {
  const entries = new Map<string, { tools: string; info: string; fetchedAt: number }>();
  /** What `show` makes of each that is known. */
  const among = <Shown>(identities: Iterable<string>, show: (tools: unknown[], beside: Beside) => Shown) => {
    const found = new Map<string, Shown>();
    for (const identity of new Set(identities)) {
      const entry = entries.get(identity);
      if (!entry) continue;
      const { tools, info, fetchedAt } = entry;
      found.set(identity, show(JSON.parse(tools), { info: JSON.parse(info), fetchedAt }));
    }
    return found;
  };
  return {
    read: async (identities) => among(identities, (tools, beside) => ({ tools, ...beside })),
    summaries: async (identities) => among(identities, ({ length: toolCount }, beside) => ({ toolCount, ...beside })),
    async write(identity, { tools, info }) {
      const before = entries.get(identity)?.tools;
      const text = JSON.stringify(tools);
      entries.set(identity, { tools: text, info: JSON.stringify(info) ?? "null", fetchedAt: Date.now() });
      return before === undefined || before === text ? undefined : JSON.parse(before);
    },
    async touch() {
      // Nothing here becomes too old: it goes with the test.
    },
  };
}

interface Beside {
  readonly info: unknown;
  readonly fetchedAt: number;
}
