import type { CatalogCache } from "../../../src/runtime/libraries/catalog-cache.ts";

export function createCatalogsInMemory(): CatalogCache {
  const entries = new Map<string, Entry>();
  /** What `show` makes of each that is known. */
  const among = <Shown>(
    identities: Iterable<string>,
    show: (tools: unknown[], beside: Beside, digest?: Uint8Array) => Shown,
  ) => {
    const found = new Map<string, Shown>();
    for (const identity of new Set(identities)) {
      const entry = entries.get(identity);
      if (!entry) continue;
      const { tools, info, fetchedAt, digest } = entry;
      found.set(identity, show(JSON.parse(tools), { info: JSON.parse(info), fetchedAt }, digest));
    }
    return found;
  };
  return {
    read: async (identities) => among(identities, (tools, beside) => ({ tools, ...beside })),
    summaries: async (identities) => among(identities, ({ length: toolCount }, beside) => ({ toolCount, ...beside })),
    digests: async (identities) =>
      among(identities, (_tools, beside, digest) => ({ ...beside, ...(digest && { digest }) })),
    tool: async (identity, position) => JSON.parse(entries.get(identity)?.tools ?? "[]")[position],
    async write(identity, { tools, info, digest }) {
      const before = entries.get(identity)?.tools;
      const text = JSON.stringify(tools);
      entries.set(identity, {
        tools: text,
        info: JSON.stringify(info) ?? "null",
        fetchedAt: Date.now(),
        ...(digest && { digest }),
      });
      return before === undefined || before === text ? undefined : JSON.parse(before);
    },
    async keepDigest(identity, fetchedAt, digest) {
      const entry = entries.get(identity);
      if (entry?.fetchedAt === fetchedAt) entry.digest = digest;
    },
    async touch() {
      // Nothing here becomes too old: it goes with the test.
    },
  };
}

interface Entry {
  readonly tools: string;
  readonly info: string;
  readonly fetchedAt: number;
  digest?: Uint8Array;
}

interface Beside {
  readonly info: unknown;
  readonly fetchedAt: number;
}
