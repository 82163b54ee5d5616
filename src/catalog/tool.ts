/** A JSON Schema as a server sent it: untrusted, of any dialect, possibly odd. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** One operation of an upstream, as data. */
export interface Tool {
  /** The upstream's own name, exactly. */
  readonly name: string;
  /** The name that guests import; a legal identifier in TypeScript and Python. */
  readonly identifier: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** What results were seen to be like, where the server declares nothing; for readers, never for the check. */
  readonly observed?: { readonly results: number; readonly schema: JsonSchema };
  readonly annotations?: { readonly [hint: string]: unknown };
}

/** What one upstream offers, ready to become the module `mcp_tools/<module>`. */
export interface Library {
  /** The upstream's name in the configuration. */
  readonly server: string;
  /** The module's name, a legal identifier. */
  readonly module: string;
  readonly description: string;
  readonly tools: readonly Tool[];
}
