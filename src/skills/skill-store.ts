import { CoordinatorError } from "../errors.ts";
import type { SkillLimit } from "../runtime/modules/module-source.ts";
import type { Language } from "../sandbox/engine.ts";

export interface SkillParameter {
  readonly name: string;
  /** As the code writes it; absent where it writes none. */
  readonly type?: string | undefined;
  readonly optional: boolean;
  readonly description?: string | undefined;
}

/** The function that a skill is about, and how it takes its arguments. */
export interface SkillEntry {
  readonly function: string;
  readonly isAsync: boolean;
  /** One after the other, all in one object, or by keyword. */
  readonly calling: "positional" | "object" | "keywords";
  readonly parameters: readonly SkillParameter[];
  /** How many of the parameters Python takes by position only. */
  readonly positionalOnly?: number | undefined;
  /** Set when it takes arguments of any further name, or more of them by position under this name. */
  readonly rest?: string | undefined;
}

/** A tool as it was when the skill was saved; `*` is every tool of the server. */
export interface SkillTool {
  readonly server: string;
  readonly tool: string;
  readonly hash: string;
}

/** A skill as it is handed in. */
export interface SkillDraft {
  readonly name: string;
  readonly language: Language;
  readonly description: string;
  readonly tags: readonly string[];
  readonly entry: SkillEntry;
  readonly tools: readonly SkillTool[];
  /** The skills that it imports: `clean_rows`, or `clean_rows@2` where it says the version. */
  readonly imports: readonly string[];
  readonly tests?: string | undefined;
  readonly code: string;
  /** Whoever imports it stays within this; absent when it was saved without limits. */
  readonly limit?: SkillLimit | undefined;
}

export interface SkillVersion extends SkillDraft {
  readonly version: number;
  readonly savedAt: number;
}

/** A version without its texts. */
export type SkillSummary = Omit<SkillVersion, "code" | "tests">;

/** What is known of a skill's file: its state when it was last in step, with which version, and why it is not taken over. */
export interface SkillFile {
  readonly name: string;
  readonly mark: string | undefined;
  readonly version: number | undefined;
  readonly latest: number | undefined;
  readonly problem: string | undefined;
}

/** Skills and all their versions, of one owner. A number is given once, whatever becomes of its version. */
export interface SkillStore {
  /**
   * Stores the next version, unless it says the same as the latest. `place` puts its file in place, while no other process
   * can save, and answers its mark; undefined when it could not. It should be quick: others wait. Throws skill_refused
   * for a skill with a limit over one that has not the same, storage_full where there is no room.
   */
  save(draft: SkillDraft, place?: PlaceFile): Promise<{ readonly skill: SkillVersion; readonly isNew: boolean }>;
  /** The latest version when none is named. Throws storage_unavailable when its row cannot be read. */
  get(name: string, version?: number): Promise<SkillVersion | undefined>;
  /** The same; undefined when its row cannot be read. */
  peek(name: string, version?: number): Promise<SkillVersion | undefined>;
  /** The latest version of each, by name. Rows that cannot be read are left out, as in every list. */
  list(): Promise<SkillSummary[]>;
  /** Every version that is left, the newest first. */
  history(name: string): Promise<SkillSummary[]>;
  names(language?: Language): Promise<string[]>;
  count(): Promise<number>;
  /** The text of all versions. */
  usedBytes(): Promise<number>;
  /** Those that have one of the words, the best first; those with words that only begin so, where there are none. */
  search(words: readonly string[], limit: number): Promise<SkillSummary[]>;
  /**
   * Removes a version, or all; answers the numbers that went. `whenGone` removes the file of what is gone whole. Throws
   * skill_refused, and removes nothing, where a limit is given that one of them has not.
   */
  delete(name: string, options?: DeleteOptions): Promise<readonly number[]>;
  files(names?: readonly string[]): Promise<SkillFile[]>;
  /** Has the file of a version put in place if it is still the latest, while no other process can save. */
  refile(name: string, version: number, place: PlaceFile): Promise<void>;
  /** Remembers that the file is in step with the version, or what is wrong with it as it is. */
  markFile(name: string, mark: string, state: FileState): Promise<void>;
}

/** Puts a file in place and answers its mark; undefined when it could not. */
export type PlaceFile = () => string | undefined;

export type FileState = { readonly version: number } | { readonly problem: string };

export interface DeleteOptions {
  readonly version?: number | undefined;
  readonly limit?: SkillLimit | undefined;
  readonly whenGone?: (() => void) | undefined;
}

export interface SkillQuota {
  readonly maxSkills: number;
  readonly maxVersions: number;
  /** Of the text of all versions. */
  readonly maxMb: number;
}

/** How full the store is, as a draft comes to it. */
interface SkillsHeld {
  readonly skills: number;
  /** Of the skill that the draft is a version of; none when it is the first. */
  readonly versions: number | undefined;
  readonly bytes: number;
}

/** Throws storage_full where there is no room for one more. */
export function refuseExcess(draft: SkillDraft, held: SkillsHeld, { maxSkills, maxVersions, maxMb }: SkillQuota): void {
  const isNew = held.versions === undefined;
  if (isNew && held.skills >= maxSkills) throw full(draft, `there are ${maxSkills} skills`, "maxSkills");
  if ((held.versions ?? 0) >= maxVersions) throw full(draft, `it has ${maxVersions} versions`, "maxVersions");
  if (held.bytes + textBytes(draft) <= maxMb * 1_000_000) return;
  throw full(draft, `with it the skills would have more than ${maxMb} MB of text`, "maxMb");
}

/** What a version takes of the room for all. */
export function textBytes(draft: SkillDraft): number {
  const texts = [draft.description, JSON.stringify(detailsOf(draft)), draft.tests ?? "", draft.code];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

export type SkillDetails = Pick<SkillDraft, "tags" | "entry" | "tools" | "imports" | "limit">;

/** What is known of a version beside its texts, in the order in which it is written. */
export function detailsOf({ tags, entry, tools, imports, limit }: SkillDraft): SkillDetails {
  return { tags, entry, tools, imports, ...(limit && { limit }) };
}

/** One whose row cannot be read has no limit that is known, and is like one without. */
type Limited = Pick<SkillSummary, "name" | "version"> & { readonly limit?: SkillLimit | undefined };

/** Who has a limit changes nothing that was saved with another one, or with none. */
export function refuseOthers(
  limit: SkillLimit | undefined,
  skills: readonly Limited[],
  verb: "replace" | "delete",
): void {
  const other = limit && skills.find((skill) => JSON.stringify(skill.limit) !== JSON.stringify(limit));
  if (!other) return;
  const { name, version } = other;
  throw new CoordinatorError(
    "skill_refused",
    `This run may not ${verb} the skill "${name}": it may not use everything, and version ${version} was not saved within the same limits. Nothing was changed`,
    { hint: verb === "replace" ? "Save it under another name." : "A run without limits can delete it." },
  );
}

function full({ name }: SkillDraft, why: string, setting: keyof SkillQuota): CoordinatorError {
  return new CoordinatorError("storage_full", `The skill "${name}" is not stored: ${why}`, {
    hint: `Delete skills, or versions of them, that are no longer needed (delete_skill, skills.delete), or raise coordinator.skills.${setting}.`,
  });
}

/** Whether both say the same. What is read from the code follows from it, and what servers offer is not the skill's. */
export function isSameSkill(one: SkillDraft, other: SkillDraft): boolean {
  return contentOf(one) === contentOf(other);
}

function contentOf({ language, description, tags, tests, code, limit }: SkillDraft): string {
  return JSON.stringify([language, description, tags, tests ?? null, code, limit ?? null]);
}
