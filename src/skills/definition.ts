/** One thing that the top level of a program defines, so that it can be taken along elsewhere. */
export interface Definition {
  /** The names that it gives a meaning. */
  readonly names: readonly string[];
  /** The names that it needs, of whatever it does not define itself. */
  readonly uses: readonly string[];
  /** `state`: what only the run that computed it has. */
  readonly kind: "import" | "function" | "type" | "constant" | "state";
  /** As a module has it. */
  readonly text: string;
  /** A function as others import it, where that is another text. */
  readonly exported?: string | undefined;
}

/** What stands at the top level, in its order. */
export type ReadDefinitions = (source: string) => readonly Definition[];
