/** How a function of the module `coordinator` is called, by its name with its group: a sentence for who called it otherwise. */
export type UsageOf = (name: string) => string | undefined;

/** The module `coordinator` as the checks of a language know it. */
export interface OwnModule {
  /** What it declares. */
  readonly declarations: string;
  readonly usageOf: UsageOf;
}
