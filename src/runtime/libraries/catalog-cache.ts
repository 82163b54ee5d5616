interface CatalogEntry {
  readonly tools: readonly unknown[];
  readonly info: unknown;
  readonly fetchedAt: number;
}

interface CatalogSummary {
  readonly toolCount: number;
  readonly info: unknown;
  readonly fetchedAt: number;
}

/** What servers said they offer, kept between starts. An identity is a hash of all that makes a server the same one. */
export interface CatalogCache {
  /** Only what is known is in the answer. */
  read(identities: Iterable<string>): Promise<Map<string, CatalogEntry>>;
  /** The same without the tools: quick enough for every start. */
  summaries(identities: Iterable<string>): Promise<Map<string, CatalogSummary>>;
  /** Answers with the tools that it replaces, if those were others. */
  write(
    identity: string,
    catalog: { readonly tools: readonly unknown[]; readonly info: unknown },
  ): Promise<readonly unknown[] | undefined>;
  /** Marks entries as in use: what is not touched or written for 90 days goes. */
  touch(identities: Iterable<string>): Promise<void>;
}
