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

/** What was kept for the search, and when the tools were fetched that it is of. */
interface CatalogDigest {
  readonly info: unknown;
  readonly fetchedAt: number;
  /** Absent where none was kept with the tools. */
  readonly digest?: Uint8Array;
}

/** What servers said they offer, kept between starts. An identity is a hash of all that makes a server the same one. */
export interface CatalogCache {
  /** Only what is known is in the answer. */
  read(identities: Iterable<string>): Promise<Map<string, CatalogEntry>>;
  /** The same without the tools: quick enough for every start. */
  summaries(identities: Iterable<string>): Promise<Map<string, CatalogSummary>>;
  /** The same with what was kept for the search instead of the tools. */
  digests(identities: Iterable<string>): Promise<Map<string, CatalogDigest>>;
  /** The tool at a position of the list; undefined where there is none. */
  tool(identity: string, position: number): Promise<unknown>;
  /** Answers with the tools that it replaces, if those were others. */
  write(
    identity: string,
    catalog: { readonly tools: readonly unknown[]; readonly info: unknown; readonly digest?: Uint8Array },
  ): Promise<readonly unknown[] | undefined>;
  /** Keeps a digest beside the tools that were fetched then; does nothing where there are others by now. */
  keepDigest(identity: string, fetchedAt: number, digest: Uint8Array): Promise<void>;
  /** Marks entries as in use: what is not touched or written for 90 days goes. */
  touch(identities: Iterable<string>): Promise<void>;
}
