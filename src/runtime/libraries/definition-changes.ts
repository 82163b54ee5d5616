import type { ToolChange } from "../../catalog/compare-definitions.ts";

export interface NoticedChange extends ToolChange {
  readonly at: number;
}

export interface UntoldChange extends NoticedChange {
  readonly number: number;
}

/** The changes that servers made to their tools, as they were noticed. */
export interface DefinitionChanges {
  note(identity: string, changes: readonly ToolChange[]): Promise<void>;
  /** Newest first. */
  of(identity: string): Promise<NoticedChange[]>;
  /** Those that nobody was told of yet, by identity. */
  untold(identities: Iterable<string>): Promise<Map<string, UntoldChange[]>>;
  markTold(changes: readonly UntoldChange[]): Promise<void>;
}
