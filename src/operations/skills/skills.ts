import * as z from "zod";
import type { Actor } from "../../actor.ts";
import { plainLine } from "../../catalog/plain-text.ts";
import { CoordinatorError } from "../../errors.ts";
import { listed } from "../../runtime/problem.ts";
import { importLine } from "../../skills/import-line.ts";
import { searchWords } from "../../skills/search-query.ts";
import { type ListedSkill, listedSkill, showLimit, showListed, showUse } from "../../skills/show-skill.ts";
import type { SkillStore, SkillSummary } from "../../skills/skill-store.ts";
import { versionDiff } from "../../skills/version-diff.ts";
import { language } from "../inputs.ts";
import { type AnyOperation, defineOperation } from "../operation.ts";
import type { Services } from "../services.ts";
import { runSkill } from "./run-skill.ts";
import { saveSkill, saveSkillFromRun, saveSkillOfGuest } from "./save-skill.ts";
import { exportSkills, importSkills } from "./share-skills.ts";

/** Saving, finding and running skills. */
export function skillOperations(services: Services): readonly AnyOperation[] {
  const tools = [saveSkill, listSkills, searchSkills, getSkill, getSkillImport, runSkill, deleteSkill];
  const others = [saveSkillOfGuest, skillHistory, skillDiff, saveSkillFromRun, exportSkills, importSkills];
  return [...tools, ...others].map((make) => make(services));
}

const version = z.int().min(1).optional();

const listing = () =>
  z.array(
    z.object({
      name: z.string(),
      version: z.int(),
      language: z.string(),
      description: z.string(),
      tags: z.array(z.string()),
      import: z.string(),
      limit: z.string().optional(),
      stale: z.array(z.string()).optional(),
      problem: z.string().optional(),
    }),
  );

function listSkills({ skills }: Services) {
  return defineOperation({
    name: "list_skills",
    description: "The saved skills, the latest version of each; says which are stale",
    toolset: "skills",
    guest: "skills.list",
    readOnly: true,
    hints: { openWorldHint: false },
    input: () => z.strictObject({ tag: z.string().optional(), language: language.optional() }),
    output: listing,
    async run({ tag, language }, context): Promise<Listing> {
      const edited = await skills.edits.waiting(context);
      skills.edits.takeLater([...edited], context);
      const problems = new Map((await skills.edits.problems()).map(({ name, problem }) => [name, problem]));
      const problemOf = (name: string) => (edited.has(name) ? notLookedAt : problems.get(name));
      const all = await skills.store.list();
      const wanted = all
        .filter((skill) => language === undefined || skill.language === language)
        .filter((skill) => tag === undefined || skill.tags.includes(tag));
      const found = await Promise.all(
        wanted.map(async (skill) => listedSkill(skill, await skills.tools.stale(skill), problemOf(skill.name))),
      );
      const isAll = tag === undefined && language === undefined;
      if (!isAll) return { found, none: found.length > 0 ? "" : noneOf(all, { tag, language }) };
      const known = new Set(await skills.store.names());
      const damaged = (await damagedSkills(skills.store, all)).map((name) => ({
        ...unlisted(name),
        description: isDamaged,
      }));
      const unborn = [...new Set([...problems.keys(), ...edited])].filter((name) => !known.has(name));
      const files = unborn.map((name) => ({ ...unlisted(name), problem: problemOf(name) ?? notLookedAt }));
      return { found: [...found, ...damaged, ...files], none: noSkills };
    },
    present: showListing,
  });
}

/** Skills, and what is said where there are none. */
interface Listing {
  readonly found: readonly ListedSkill[];
  readonly none: string;
}

const noSkills = "There are no skills yet. save_skill stores one.";

function showListing({ found, none }: Listing) {
  return { data: found, text: showListed(found, none) };
}

/** That none is of these, and what could be asked for instead. */
function noneOf(
  all: readonly SkillSummary[],
  { tag, language }: { tag?: string | undefined; language?: string | undefined },
) {
  if (all.length === 0) return noSkills;
  const inLanguage = all.filter((skill) => language === undefined || skill.language === language);
  const written = language === undefined ? "" : ` written in ${languageNames[language]}`;
  if (inLanguage.length === 0) return `No skill is${written}; there ${plural(all.length)}, in the other language.`;
  const tags = [...new Set(inLanguage.flatMap((skill) => skill.tags))].toSorted();
  const others = tags.length > 0 ? `Their tags are: ${listed(tags, mostTags)}.` : "None of them has a tag.";
  const which = plainLine(JSON.stringify(tag ?? ""), 200);
  return `No skill${written} has the tag ${which}; there ${plural(inLanguage.length)}${written}. ${others}`;
}

const languageNames: Readonly<Record<string, string>> = { typescript: "TypeScript", python: "Python" };
const mostTags = 30;

function plural(count: number): string {
  return count === 1 ? "is 1 skill" : `are ${count} skills`;
}

const notLookedAt = "its file has an edit that was not looked at until now";
const isDamaged = "cannot be read, its row in the database is damaged: save it again, or delete it";

/** The names of those that the list of all leaves out, since their rows cannot be read. */
export async function damagedSkills(store: SkillStore, listed: readonly SkillSummary[]): Promise<string[]> {
  const known = new Set(listed.map(({ name }) => name));
  return (await store.names()).filter((name) => !known.has(name));
}

/** A file that has never been valid, and somebody waits for a skill of it; or one that cannot be read any more. */
function unlisted(name: string): ListedSkill {
  return { name, version: 0, language: "typescript", description: "", tags: [], import: "" };
}

function searchSkills({ skills }: Services) {
  return defineOperation({
    name: "search_skills",
    description: "Find saved skills by words of their name, tags, description or code, best first",
    toolset: "skills",
    guest: "skills.search",
    positional: ["query"],
    example: { query: "clean rows" },
    readOnly: true,
    hints: { openWorldHint: false },
    input: () => z.strictObject({ query: z.string(), limit: z.int().min(1).max(200).optional() }),
    output: listing,
    async run({ query, limit = 10 }, context): Promise<Listing> {
      const matching = await findSkills(skills, query, limit, context);
      const found = matching.map(async (skill) => listedSkill(skill, await skills.tools.stale(skill)));
      const count = await skills.store.count();
      const all = count === 1 ? "the one that there is" : `the ${count} that there are`;
      const none = count === 0 ? noSkills : `No skill has these words; list_skills shows ${all}.`;
      return { found: await Promise.all(found), none };
    },
    present: showListing,
  });
}

/** The one of that name first, whatever else has the words. */
export async function findSkills(
  skills: Services["skills"],
  query: string,
  limit: number,
  actor: Actor,
): Promise<SkillSummary[]> {
  skills.edits.takeLater("when due", actor);
  const found = await skills.store.search(searchWords(query), limit);
  const wanted = query
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
  return found.toSorted((left, right) => Number(right.name === wanted) - Number(left.name === wanted));
}

function getSkill({ skills }: Services) {
  return defineOperation({
    name: "get_skill",
    description: "A saved skill: code, parameters, tests, tools; the latest version unless one is named",
    toolset: "skills",
    guest: "skills.get",
    positional: ["name"],
    example: { name: "clean_rows" },
    readOnly: true,
    hints: { openWorldHint: false },
    input: () => z.strictObject({ name: z.string(), version }),
    async run({ name, version }, context) {
      skills.edits.takeLater([name], context);
      const skill = await skills.get(name, version);
      const stale = await skills.tools.stale(skill);
      const latest = (await skills.store.peek(name))?.version === skill.version;
      const { entry, ...rest } = skill;
      return {
        ...rest,
        ...entry,
        latest,
        import: importLine(skill, latest ? undefined : version),
        ...(stale.length > 0 && { stale }),
      };
    },
    present(skill) {
      const { name, version, description, code, tests, limit, stale = [] } = skill;
      const head = `${name}, version ${version}${skill.latest ? ", the latest" : ""}: ${description}`;
      const notes = [...(limit ? [showLimit(limit)] : []), ...stale.map((reason) => `stale: ${reason}`)];
      const tested = tests ? ["", "tests:", tests.trimEnd()] : [];
      return { text: [head, skill.import, ...notes, "", code.trimEnd(), ...tested].join("\n") };
    },
  });
}

function getSkillImport({ skills }: Services) {
  return defineOperation({
    name: "get_skill_import",
    description: "The statement that imports a skill in execute_code, and what its function takes",
    toolset: "skills",
    readOnly: true,
    hints: { openWorldHint: false },
    input: () => z.strictObject({ name: z.string(), version, language: language.optional() }),
    async run({ name, version, language }, context) {
      skills.edits.takeLater([name], context);
      const skill = await skills.get(name, version);
      if (language !== undefined && language !== skill.language) {
        const message = `The skill "${name}" is written in ${skill.language}, and cannot be imported in ${language}`;
        throw new CoordinatorError("input_invalid", message, { hint: "run_skill runs it from anywhere." });
      }
      const { language: written, entry } = skill;
      const data = { import: importLine(skill, version), language: written, ...entry };
      return { data, text: showUse(skill, version) };
    },
    present: (use) => use,
  });
}

function deleteSkill({ skills }: Services) {
  return defineOperation({
    name: "delete_skill",
    description: "Delete one version of a skill, or all of it",
    toolset: "skills",
    guest: "skills.delete",
    positional: ["name"],
    example: { name: "clean_rows" },
    hints: { idempotentHint: true, openWorldHint: false },
    input: () => z.strictObject({ name: z.string(), version }),
    output: () => z.object({ name: z.string(), deleted: z.array(z.int()), latest: z.int().optional() }),
    async run({ name, version }, context) {
      const deleted = await skills.remove(name, version, context);
      const [file] = await skills.store.files([name]);
      const latest = file?.latest;
      return { name, deleted, ...(latest !== undefined && { latest }) };
    },
    present({ name, deleted, latest }) {
      const what = deleted.length === 1 ? `version ${deleted[0]}` : `versions ${deleted.join(", ")}`;
      const left = latest === undefined ? "Nothing of it is left." : `The latest is now version ${latest}.`;
      return { text: `Deleted ${what} of ${name}. ${left}` };
    },
  });
}

function skillHistory({ skills }: Services) {
  return defineOperation({
    name: "skill_history",
    description: "Every version of a skill, the newest first",
    guest: "skills.history",
    positional: ["name"],
    example: { name: "clean_rows" },
    readOnly: true,
    input: () => z.strictObject({ name: z.string() }),
    async run({ name }, context) {
      skills.edits.takeLater([name], context);
      await skills.get(name);
      return (await skills.store.history(name)).map(({ version, savedAt, description, tags }) => {
        return { version, savedAt: new Date(savedAt).toISOString(), description, tags };
      });
    },
    present: (versions) => ({
      text: versions.map(({ version, savedAt, description }) => `${version}  ${savedAt}  ${description}`).join("\n"),
    }),
  });
}

function skillDiff({ skills }: Services) {
  return defineOperation({
    name: "skill_diff",
    description: "What changed between two versions of a skill, as a patch; the last change unless they are named",
    readOnly: true,
    input: () => z.strictObject({ name: z.string(), from: version, to: version }),
    async run({ name, from, to }, context) {
      skills.edits.takeLater([name], context);
      const newer = await skills.get(name, to);
      const before = (await skills.store.history(name)).find((known) => known.version < newer.version)?.version;
      const older = await skills.get(name, from ?? before ?? newer.version);
      return { name, from: older.version, to: newer.version, patch: versionDiff(older, newer) };
    },
    present({ patch, from, to }) {
      const same = from === to ? `There is nothing before version ${to}.` : `Versions ${from} and ${to} are the same.`;
      return { text: patch.trimEnd() || same };
    },
  });
}
