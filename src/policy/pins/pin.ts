import type { Definition } from "./definition.ts";

/**
 * accepted: it is as a person, or the first list, has it. changed: the server says something else by now. new: it came after the
 * first list. blocked: a person does not want it. unreadable: nobody can tell any more what was accepted.
 */
export type PinState = "accepted" | "changed" | "new" | "blocked" | "unreadable";

/** One definition of a server as it was accepted, and as the server has it now. */
export interface Pin extends Pick<Definition, "kind" | "name"> {
  readonly state: PinState;
  /** Absent for what nobody has accepted. */
  readonly accepted?: Definition | undefined;
  /** What the server says now, where that is something else. */
  readonly seen?: Definition | undefined;
  /** What is different about that, in words. */
  readonly why: readonly string[];
  /** What it said lately, by hashes: some change with every look. */
  readonly recent: readonly { readonly hash: string; readonly at: number }[];
  readonly decidedAt: number;
  /** Who accepted or blocked it, in words. */
  readonly decidedBy: string;
}

/** note: changes are noted and told. review: wider and reworded ones block. strict: every one does. */
export type PinMode = "note" | "review" | "strict";

const strictness: Readonly<Record<PinMode, number>> = { note: 0, review: 1, strict: 2 };

export function strictestMode(modes: readonly PinMode[]): PinMode {
  return modes.reduce((one, other) => (strictness[other] > strictness[one] ? other : one), "note");
}

const day = 24 * 3_600_000;
const manyVersions = 3;

/** Whether it says something else with nearly every look: no person can review that. */
export function isFlapping({ recent }: Pick<Pin, "recent">, now: number): boolean {
  return new Set(recent.filter(({ at }) => now - at < day).map(({ hash }) => hash)).size >= manyVersions;
}
