import type { Language } from "../../sandbox/engine.ts";
import {
  type DeleteOptions,
  detailsOf,
  type FileState,
  isSameSkill,
  type PlaceFile,
  refuseExcess,
  refuseOthers,
  type SkillDraft,
  type SkillQuota,
  type SkillStore,
  type SkillVersion,
} from "../../skills/skill-store.ts";
import { damagedRow } from "./damaged-row.ts";
import type { Database, Value } from "./database.ts";
import {
  type FileRow,
  fileOf,
  readable,
  type SummaryRow,
  summaryOf,
  type VersionRow,
  versionOf,
} from "./skill-rows.ts";

/** The rows of one owner, and how many there may be. */
interface Shelf {
  readonly database: Database;
  readonly principal: string;
  readonly quota: SkillQuota | undefined;
}

export function createSkills(database: Database, principal: string, quota?: SkillQuota): SkillStore {
  const shelf: Shelf = { database, principal, quota };
  const summaries = (sql: string, values: readonly Value[] = []) =>
    readable(database.all<SummaryRow>(sql, [principal, ...values]));
  return {
    async get(name, version) {
      const row = find(shelf, name, version);
      const skill = row && versionOf(row);
      if (!row || skill) return skill;
      const what = `version ${row.version} of the skill "${name}"`;
      const hint = "Save the skill again, or delete it; other versions and skills are as they were.";
      throw damagedRow(what, "its details are not valid", hint);
    },
    async peek(name, version) {
      const row = find(shelf, name, version);
      return row && versionOf(row);
    },
    list: async () => summaries(selectAll),
    history: async (name) => summaries(selectHistory, [name]),
    names: async (language) => names(shelf, language),
    count: async () => count(shelf),
    usedBytes: async () => usedBytes(shelf),
    async search(words, limit) {
      const quoted = words.map((word) => `"${word.replaceAll('"', '""')}"`);
      const having = (ending: string) => quoted.map((word) => `${word}${ending}`).join(" OR ");
      if (words.length === 0) return [];
      const found = summaries(searchLatest, [having(""), limit]);
      return found.length > 0 ? found : summaries(searchLatest, [having("*"), limit]);
    },
    async files(names) {
      const which = names && JSON.stringify(names);
      return database.all<FileRow>(selectFiles, [principal, which ?? null]).map(fileOf);
    },
    save: async (draft, place) => database.transaction(() => save(shelf, draft, place)),
    delete: async (name, options = {}) => database.transaction(() => remove(shelf, name, options)),
    refile: async (name, version, place) =>
      database.transaction(() => {
        if (database.get<{ latest: number }>(selectLatestNumber, [principal, name])?.latest !== version) return;
        const mark = place();
        if (mark !== undefined) setFile(shelf, name, mark, version);
      }),
    markFile: async (name, mark, state) => database.transaction(() => markFile(shelf, name, mark, state)),
  };
}

function find({ database, principal }: Shelf, name: string, version?: number): VersionRow | undefined {
  return version === undefined
    ? database.get<VersionRow>(selectLatest, [principal, name])
    : database.get<VersionRow>(selectVersion, [principal, name, version]);
}

function names({ database, principal }: Shelf, language: Language | undefined): string[] {
  const rows =
    language === undefined
      ? database.all<{ name: string }>(selectNames, [principal])
      : database.all<{ name: string }>(selectNamesIn, [principal, language]);
  return rows.map(({ name }) => name);
}

function count({ database, principal }: Shelf): number {
  return database.get<{ count: number }>(countSkills, [principal])?.count ?? 0;
}

function usedBytes({ database, principal }: Shelf): number {
  return database.get<{ bytes: number | null }>(sumBytes, [principal])?.bytes ?? 0;
}

/** Inside a transaction, as all that follow. */
function save(shelf: Shelf, draft: SkillDraft, place?: PlaceFile): { skill: SkillVersion; isNew: boolean } {
  const { database, principal, quota } = shelf;
  const row = find(shelf, draft.name);
  const latest = row && versionOf(row);
  if (row) refuseOthers(draft.limit, [latest ?? row], "replace");
  if (latest && isSameSkill(latest, draft)) return { skill: latest, isNew: false };
  if (quota) {
    const versions = database.get<{ count: number }>(countVersions, [principal, draft.name])?.count;
    refuseExcess(draft, { skills: count(shelf), versions: row && versions, bytes: usedBytes(shelf) }, quota);
  }
  database.run(insertSkill, [principal, draft.name]);
  const known = database.get<SkillRow>(selectSkill, [principal, draft.name]);
  if (!known) throw new Error("The row that was just written is gone");
  const skill: SkillVersion = { ...draft, version: known.last_version + 1, savedAt: Date.now() };
  const { version, language, savedAt, description, tests = null, code } = skill;
  database.run("UPDATE skills SET last_version = ? WHERE number = ?", [version, known.number]);
  const details = JSON.stringify(detailsOf(draft));
  database.run(insertVersion, [known.number, version, language, savedAt, description, details, tests, code]);
  setLatest(database, known.number, skill);
  const mark = place?.();
  if (mark !== undefined) setFile(shelf, draft.name, mark, version);
  return { skill, isNew: true };
}

function remove(shelf: Shelf, name: string, { version, limit, whenGone }: DeleteOptions): readonly number[] {
  const { database, principal } = shelf;
  const found = database.get<SkillRow>(selectSkill, [principal, name]);
  if (!found) return [];
  const doomed = database
    .all<SummaryRow>(selectHistory, [principal, name])
    .filter((known) => version === undefined || known.version === version)
    .reverse();
  if (doomed.length === 0) return [];
  const limited = doomed.map((row) => summaryOf(row) ?? row);
  refuseOthers(limit, limited, "delete");
  database.run(deleteVersions, [found.number, version ?? null]);
  const latest = database.get<VersionRow>(selectHighest, [found.number]);
  setLatest(database, found.number, latest && (versionOf(latest) ?? { ...latest, tags: [] }));
  // The file of a version that went before others is behind now, and is written again when it is looked at.
  if (!latest) {
    whenGone?.();
    setFile(shelf, name, undefined, undefined);
  }
  return doomed.map((known) => known.version);
}

function setLatest(database: Database, number: number, skill: SearchedSkill | undefined): void {
  database.run("UPDATE skills SET latest = ? WHERE number = ?", [skill?.version ?? null, number]);
  database.run("DELETE FROM skill_search WHERE rowid = ?", [number]);
  if (!skill) return;
  const { name, tags, description, code } = skill;
  database.run(insertSearch, [number, name, tags.join(" "), description, code]);
}

function setFile(
  { database, principal }: Shelf,
  name: string,
  mark: string | undefined,
  version: number | undefined,
): void {
  database.run(updateFile, [mark ?? null, version ?? null, null, principal, name]);
}

function markFile(shelf: Shelf, name: string, mark: string, state: FileState): void {
  const { database, principal } = shelf;
  database.run(insertSkill, [principal, name]);
  if ("version" in state) setFile(shelf, name, mark, state.version);
  else database.run(updateProblem, [mark, state.problem, principal, name]);
}

type SearchedSkill = Pick<SkillVersion, "name" | "version" | "tags" | "description" | "code">;

interface SkillRow {
  readonly number: number;
  readonly last_version: number;
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

/**
 * A word in the name weighs most, then one in the tags, in the description, in the code. With the plus SQLite searches the words
 * once and looks up whose they are; without it, it searches them for every skill of the owner again.
 */
const searchLatest = `
  WITH found AS (
    SELECT rowid AS number, bm25(skill_search, 10, 6, 3, 0.5) AS score
    FROM skill_search WHERE skill_search MATCH ?2 AND +rowid IN (SELECT number FROM skills WHERE principal = ?1)
    ORDER BY score LIMIT ?3
  )
  SELECT ${summaryColumns} FROM found
  JOIN skills ON skills.number = found.number
  JOIN skill_versions AS versions ON versions.skill = skills.number AND versions.version = skills.latest
  ORDER BY found.score, skills.name`;

/** Of these names, a list in JSON; of all when it is null. */
const selectFiles = `
  SELECT name, file_mark, file_version, latest, file_problem FROM skills
  WHERE principal = ?1 AND (?2 IS NULL OR name IN (SELECT value FROM json_each(?2)))`;
const updateFile =
  "UPDATE skills SET file_mark = ?, file_version = ?, file_problem = ? WHERE principal = ? AND name = ?";
const updateProblem = "UPDATE skills SET file_mark = ?, file_problem = ? WHERE principal = ? AND name = ?";
const insertSkill = "INSERT INTO skills (principal, name, last_version) VALUES (?, ?, 0) ON CONFLICT DO NOTHING";
