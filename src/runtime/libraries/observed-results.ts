interface ObservedResult {
  /** As it was given; JSON. */
  readonly shape: unknown;
  /** How results last differed from those before, and when. */
  readonly drift?: { readonly at: number; readonly text: string };
}

/** What the results of tools looked like, by the identity of their server. Holds no results. */
export interface ObservedResults {
  /** By tool. */
  of(identity: string): Promise<Map<string, ObservedResult>>;
  /** What is kept of one tool, as it was given. */
  shapeOf(identity: string, tool: string): Promise<unknown>;
  /** Replaces what is kept of a tool by what `change` makes of it; no other process comes in between. */
  change(
    identity: string,
    tool: string,
    change: (known: unknown) => { readonly shape: unknown; readonly drift?: string | undefined },
  ): Promise<void>;
}
