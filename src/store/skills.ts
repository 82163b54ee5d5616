import { createHash } from "node:crypto";
import * as z from "zod";
import { CoordinatorError } from "../errors.ts";
import type { Language } from "../sandbox/engine.ts";
import type { Connection } from "./connection.ts";
import { damagedRow, isMoment, parseStored } from "./damaged-row.ts";

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

/** What the run could call that saved a skill: tools of these servers, only these tools. */
export interface SkillLimit {
  /** Sorted, as are the tools, so that two limits that are the same look the same. */
  readonly servers?: readonly string[] | undefined;
  readonly tools?: readonly { readonly server: string; readonly tool: string }[] | undefined;
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

/** Skills and all their versions. A number is given once, whatever becomes of its version. */
export interface Skills {
  /**
   * Stores the next version, unless it says the same as the latest. `place` puts its file in place, while no other process
   * can save, and answers its mark; undefined when it could not. It should be quick: others wait. Throws skill_refused
   * for a skill with a limit over one that has not the same, storage_full where there is no room.
   */
  save(draft: SkillDraft, place?: () => string | undefined): { readonly skill: SkillVersion; readonly isNew: boolean };
  /** The latest version when none is named. Throws storage_unavailable when its row cannot be read. */
  get(name: string, version?: number): SkillVersion | undefined;
  /** The same; undefined when its row cannot be read. */
  peek(name: string, version?: number): SkillVersion | undefined;
  /** The latest version of each, by name. Rows that cannot be read are left out, as in every list. */
  list(): SkillSummary[];
  /** Every version that is left, the newest first. */
  history(name: string): SkillSummary[];
  names(language?: Language): string[];
  count(): number;
  /** The text of all versions. */
  usedBytes(): number;
  /** The best first, by an expression of FTS5. */
  search(expression: string, limit: number): SkillSummary[];
  /**
   * Removes a version, or all; answers the numbers that went. `whenGone` removes the file of what is gone whole. Throws
   * skill_refused, and removes nothing, where a limit is given that one of them has not.
   */
  delete(name: string, options?: DeleteOptions): readonly number[];
  files(names?: readonly string[]): SkillFile[];
  /** Has the file of a version put in place if it is still the latest, while no other process can save. */
  refile(name: string, version: number, place: () => string | undefined): void;
  /** Remembers that the file is in step with the version, or what is wrong with it as it is. */
  markFile(name: string, mark: string, state: { readonly version: number } | { readonly problem: string }): void;
}

interface DeleteOptions {
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

export function createSkills(connection: Connection, principal: string, quota?: SkillQuota): Skills {
  const find = (name: string, version?: number): VersionRow | undefined =>
    version === undefined
      ? connection.get<VersionRow>(selectLatest, [principal, name])
      : connection.get<VersionRow>(selectVersion, [principal, name, version]);
  const peek = (name: string, version?: number): SkillVersion | undefined => {
    const row = find(name, version);
    return row && versionOf(row);
  };
  const count = () => connection.get<{ count: number }>(countSkills, [principal])?.count ?? 0;
  const usedBytes = () => connection.get<{ bytes: number | null }>(sumBytes, [principal])?.bytes ?? 0;
  const refuseExcess = (draft: SkillDraft, isKnown: boolean): void => {
    if (!quota) return;
    const { maxSkills, maxVersions, maxMb } = quota;
    if (!isKnown && count() >= maxSkills) throw full(draft, `there are ${maxSkills} skills`, "maxSkills");
    const versions = connection.get<{ count: number }>(countVersions, [principal, draft.name])?.count ?? 0;
    if (versions >= maxVersions) throw full(draft, `it has ${maxVersions} versions`, "maxVersions");
    const more = [draft.description, JSON.stringify(detailsOf(draft)), draft.tests ?? "", draft.code];
    const bytes = more.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    if (usedBytes() + bytes <= maxMb * 1_000_000) return;
    throw full(draft, `with it the skills would have more than ${maxMb} MB of text`, "maxMb");
  };
  const setLatest = (number: number, skill: SearchedSkill | undefined): void => {
    connection.run("UPDATE skills SET latest = ? WHERE number = ?", [skill?.version ?? null, number]);
    connection.run("DELETE FROM skill_search WHERE rowid = ?", [number]);
    if (!skill) return;
    const { name, tags, description, code } = skill;
    connection.run(insertSearch, [number, name, tags.join(" "), description, code]);
  };
  const setFile = (name: string, mark: string | undefined, version: number | undefined, problem?: string): void => {
    connection.run(updateFile, [mark ?? null, version ?? null, problem ?? null, principal, name]);
  };

  return {
    save: (draft, place) =>
      connection.transaction(() => {
        const row = find(draft.name);
        const latest = row && versionOf(row);
        if (row) refuseOthers(draft.limit, [latest ?? row], "replace");
        if (latest && contentHash(latest) === contentHash(draft)) return { skill: latest, isNew: false };
        refuseExcess(draft, row !== undefined);
        connection.run(insertSkill, [principal, draft.name]);
        const { number, last_version } = connection.get<SkillRow>(selectSkill, [principal, draft.name]) as SkillRow;
        const skill: SkillVersion = { ...draft, version: last_version + 1, savedAt: Date.now() };
        connection.run("UPDATE skills SET last_version = ? WHERE number = ?", [skill.version, number]);
        connection.run(insertVersion, [
          number,
          skill.version,
          skill.language,
          skill.savedAt,
          skill.description,
          JSON.stringify(detailsOf(draft)),
          draft.tests ?? null,
          draft.code,
        ]);
        setLatest(number, skill);
        const mark = place?.();
        if (mark !== undefined) setFile(draft.name, mark, skill.version);
        return { skill, isNew: true };
      }),
    get(name, version) {
      const row = find(name, version);
      const skill = row && versionOf(row);
      if (!row || skill) return skill;
      const hint = "Save the skill again, or delete it; other versions and skills are as they were.";
      throw damagedRow(
        `version ${row.version} of the skill "${name}"`,
        "its details are not as they are written",
        hint,
      );
    },
    peek,
    list: () => readable(connection.all<SummaryRow>(selectAll, [principal])),
    history: (name) => readable(connection.all<SummaryRow>(selectHistory, [principal, name])),
    names: (language) => {
      const rows =
        language === undefined
          ? connection.all<{ name: string }>(selectNames, [principal])
          : connection.all<{ name: string }>(selectNamesIn, [principal, language]);
      return rows.map(({ name }) => name);
    },
    count,
    usedBytes,
    search: (expression, limit) => readable(connection.all<SummaryRow>(searchLatest, [expression, principal, limit])),
    delete: (name, { version, limit, whenGone } = {}) =>
      connection.transaction(() => {
        const found = connection.get<SkillRow>(selectSkill, [principal, name]);
        if (!found) return [];
        const doomed = connection
          .all<SummaryRow>(selectHistory, [principal, name])
          .filter((known) => version === undefined || known.version === version)
          .reverse();
        if (doomed.length === 0) return [];
        refuseOthers(
          limit,
          doomed.map((row) => summaryOf(row) ?? row),
          "delete",
        );
        connection.run(deleteVersions, [found.number, version ?? null]);
        const latest = connection.get<VersionRow>(selectHighest, [found.number]);
        setLatest(found.number, latest && (versionOf(latest) ?? { ...latest, tags: [] }));
        // The file of a version that went before others is behind now, and is written again when it is looked at.
        if (!latest) {
          whenGone?.();
          setFile(name, undefined, undefined);
        }
        return doomed.map((known) => known.version);
      }),
    files: (names) => {
      const rows =
        names === undefined
          ? connection.all<FileRow>(selectFiles, [principal])
          : connection.all<FileRow>(`${selectFiles} AND name IN (SELECT value FROM json_each(?))`, [
              principal,
              JSON.stringify(names),
            ]);
      return rows.map(({ name, file_mark, file_version, latest, file_problem }) => ({
        name,
        mark: file_mark ?? undefined,
        version: file_version ?? undefined,
        latest: latest ?? undefined,
        problem: file_problem ?? undefined,
      }));
    },
    refile: (name, version, place) =>
      connection.transaction(() => {
        if (connection.get<{ latest: number }>(selectLatestNumber, [principal, name])?.latest !== version) return;
        const mark = place();
        if (mark !== undefined) setFile(name, mark, version);
      }),
    markFile: (name, mark, state) =>
      connection.transaction(() => {
        connection.run(insertSkill, [principal, name]);
        if ("version" in state) setFile(name, mark, state.version);
        else connection.run(updateProblem, [mark, state.problem, principal, name]);
      }),
  };
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

/** What makes two versions the same. What is read from the code follows from it, and what servers offer is not the skill's. */
function contentHash({ language, description, tags, tests, code, limit }: SkillDraft): string {
  return createHash("sha256")
    .update(JSON.stringify([language, description, tags, tests ?? null, code, limit ?? null]))
    .digest("hex");
}

function detailsOf({ tags, entry, tools, imports, limit }: SkillDraft): Details {
  return { tags, entry, tools, imports, ...(limit && { limit }) };
}

type Details = Pick<SkillDraft, "tags" | "entry" | "tools" | "imports" | "limit">;
type SearchedSkill = Pick<SkillVersion, "name" | "version" | "tags" | "description" | "code">;

const toolNames = z.array(z.looseObject({ server: z.string(), tool: z.string() }));
/** What has to hold of the details for the rest of the program to work on them. */
const soundDetails = z.looseObject({
  tags: z.array(z.string()),
  entry: z.looseObject({ function: z.string(), parameters: z.array(z.looseObject({ name: z.string() })) }),
  tools: toolNames,
  imports: z.array(z.string()),
  limit: z.looseObject({ servers: z.array(z.string()).optional(), tools: toolNames.optional() }).optional(),
});

interface SkillRow {
  readonly number: number;
  readonly last_version: number;
}

interface SummaryRow {
  readonly name: string;
  readonly version: number;
  readonly language: Language;
  readonly saved_at: number;
  readonly description: string;
  readonly details: string;
}

interface VersionRow extends SummaryRow {
  readonly tests: string | null;
  readonly code: string;
}

interface FileRow {
  readonly name: string;
  readonly file_mark: string | null;
  readonly file_version: number | null;
  readonly latest: number | null;
  readonly file_problem: string | null;
}

/** Undefined when the row cannot be read. */
function summaryOf(row: SummaryRow): SkillSummary | undefined {
  const { name, version, language, saved_at, description } = row;
  const details = parseStored(row.details);
  if (!isMoment(saved_at) || !soundDetails.safeParse(details).success) return undefined;
  return { name, version, language, description, ...(details as Details), savedAt: saved_at };
}

function versionOf(row: VersionRow): SkillVersion | undefined {
  const summary = summaryOf(row);
  return summary && { ...summary, ...(row.tests !== null && { tests: row.tests }), code: row.code };
}

function readable(rows: readonly SummaryRow[]): SkillSummary[] {
  return rows.flatMap((row) => summaryOf(row) ?? []);
}

const summaryColumns =
  "skills.name, versions.version, versions.language, versions.saved_at, versions.description, versions.details";
const versionColumns = `${summaryColumns}, versions.tests, versions.code`;
const joined = "FROM skills JOIN skill_versions AS versions ON versions.skill = skills.number";

const selectSkill = "SELECT number, last_version FROM skills WHERE principal = ? AND name = ?";
const selectLatestNumber = "SELECT latest FROM skills WHERE principal = ? AND name = ?";
const selectLatest = `SELECT ${versionColumns} ${joined} AND versions.version = skills.latest WHERE principal = ? AND name = ?`;
const selectVersion = `SELECT ${versionColumns} ${joined} WHERE principal = ? AND name = ? AND versions.version = ?`;
const selectHighest = `SELECT ${versionColumns} ${joined} WHERE skills.number = ? ORDER BY versions.version DESC LIMIT 1`;
const selectAll = `SELECT ${summaryColumns} ${joined} AND versions.version = skills.latest WHERE principal = ? ORDER BY name`;
const selectHistory = `SELECT ${summaryColumns} ${joined} WHERE principal = ? AND name = ? ORDER BY versions.version DESC`;
const selectNames = "SELECT name FROM skills WHERE principal = ? AND latest IS NOT NULL ORDER BY name";
const selectNamesIn = `SELECT name ${joined} AND versions.version = skills.latest WHERE principal = ? AND language = ? ORDER BY name`;
const countSkills = "SELECT count(*) AS count FROM skills WHERE principal = ? AND latest IS NOT NULL";

const countVersions = `SELECT count(*) AS count ${joined} WHERE principal = ? AND name = ?`;
const sumBytes = `
  SELECT sum(octet_length(description) + octet_length(details) + coalesce(octet_length(tests), 0) + octet_length(code)) AS bytes
  ${joined} WHERE principal = ?`;

const insertVersion = `
  INSERT INTO skill_versions (skill, version, language, saved_at, description, details, tests, code)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

const insertSearch = "INSERT INTO skill_search (rowid, name, tags, description, code) VALUES (?, ?, ?, ?, ?)";

const deleteVersions = "DELETE FROM skill_versions WHERE skill = ?1 AND (?2 IS NULL OR version = ?2)";

/** A word in the name weighs most, then one in the tags, in the description, in the code. */
const searchLatest = `
  WITH found AS (
    SELECT rowid AS number, bm25(skill_search, 10, 6, 3, 0.5) AS score
    FROM skill_search WHERE skill_search MATCH ? AND rowid IN (SELECT number FROM skills WHERE principal = ?)
    ORDER BY score LIMIT ?
  )
  SELECT ${summaryColumns} FROM found
  JOIN skills ON skills.number = found.number
  JOIN skill_versions AS versions ON versions.skill = skills.number AND versions.version = skills.latest
  ORDER BY found.score, skills.name`;

const selectFiles = "SELECT name, file_mark, file_version, latest, file_problem FROM skills WHERE principal = ?";
const updateFile =
  "UPDATE skills SET file_mark = ?, file_version = ?, file_problem = ? WHERE principal = ? AND name = ?";
const updateProblem = "UPDATE skills SET file_mark = ?, file_problem = ? WHERE principal = ? AND name = ?";
const insertSkill = "INSERT INTO skills (principal, name, last_version) VALUES (?, ?, 0) ON CONFLICT DO NOTHING";
