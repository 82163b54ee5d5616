import {
  detailsOf,
  type FileState,
  isSameSkill,
  refuseExcess,
  refuseOthers,
  type SkillDraft,
  type SkillFile,
  type SkillQuota,
  type SkillStore,
  type SkillSummary,
  type SkillVersion,
  textBytes,
} from "../../../src/skills/skill-store.ts";
import { byText } from "./by-text.ts";

interface Shelved {
  readonly principal: string;
  readonly name: string;
  /** The oldest first; none of one that was deleted, or has only a file. */
  versions: readonly SkillVersion[];
  lastVersion: number;
  file: Pick<SkillFile, "mark" | "version" | "problem">;
}

const noFile = { mark: undefined, version: undefined, problem: undefined };

/** What the stores of all owners share. */
export const skillShelves = () => new Map<string, Shelved>();

export function createSkillsInMemory({
  shelves = skillShelves(),
  principal = "local",
  quota,
}: {
  shelves?: Map<string, Shelved>;
  principal?: string;
  quota?: SkillQuota | undefined;
} = {}): SkillStore {
  const placeOf = (name: string) => JSON.stringify([principal, name]);
  const known = (name: string) => shelves.get(placeOf(name));
  const shelved = (name: string): Shelved => {
    const skill = known(name) ?? { principal, name, versions: [], lastVersion: 0, file: noFile };
    shelves.set(placeOf(name), skill);
    return skill;
  };
  const own = () => [...shelves.values()].filter((skill) => skill.principal === principal).sort(byText("name"));
  const latestOnes = () => own().flatMap(({ versions }) => versions.at(-1) ?? []);
  const find = async (name: string, version?: number) => {
    const versions = known(name)?.versions ?? [];
    return version === undefined ? versions.at(-1) : versions.find((one) => one.version === version);
  };
  const usedBytes = () => own().reduce((sum, { versions }) => sum + versions.reduce(addBytes, 0), 0);

  return {
    get: find,
    peek: find,
    list: async () => latestOnes().map(summaryOf),
    history: async (name) => (known(name)?.versions ?? []).map(summaryOf).reverse(),
    names: async (language) =>
      latestOnes()
        .filter((skill) => language === undefined || skill.language === language)
        .map(({ name }) => name),
    count: async () => latestOnes().length,
    usedBytes: async () => usedBytes(),
    search: async (words, limit) => search(latestOnes(), words).slice(0, limit).map(summaryOf),
    files: async (names) => own().flatMap((skill) => ((names?.includes(skill.name) ?? true) ? [fileOf(skill)] : [])),
    async save(draft, place) {
      const skill = known(draft.name);
      const latest = skill?.versions.at(-1);
      if (latest) refuseOthers(draft.limit, [latest], "replace");
      if (latest && isSameSkill(latest, draft)) return { skill: latest, isNew: false };
      const held = { skills: latestOnes().length, versions: latest && skill?.versions.length, bytes: usedBytes() };
      if (quota) refuseExcess(draft, held, quota);
      const saved = versionOf(draft, (skill?.lastVersion ?? 0) + 1);
      const mark = place?.();
      const kept = shelved(draft.name);
      kept.versions = [...kept.versions, saved];
      kept.lastVersion = saved.version;
      if (mark !== undefined) kept.file = { ...noFile, mark, version: saved.version };
      return { skill: saved, isNew: true };
    },
    async delete(name, { version, limit, whenGone } = {}) {
      const skill = known(name);
      const isDoomed = (one: SkillVersion) => version === undefined || one.version === version;
      const doomed = skill?.versions.filter(isDoomed) ?? [];
      if (!skill || doomed.length === 0) return [];
      refuseOthers(limit, doomed, "delete");
      const left = skill.versions.filter((one) => !isDoomed(one));
      if (left.length === 0) whenGone?.();
      if (left.length === 0) skill.file = noFile;
      skill.versions = left;
      return doomed.map((one) => one.version);
    },
    async refile(name, version, place) {
      const skill = known(name);
      if (skill?.versions.at(-1)?.version !== version) return;
      const mark = place();
      if (mark !== undefined) skill.file = { ...noFile, mark, version };
    },
    async markFile(name, mark, state: FileState) {
      const skill = shelved(name);
      skill.file = "version" in state ? { ...noFile, mark, ...state } : { ...skill.file, mark, ...state };
    },
  };
}

const addBytes = (sum: number, version: SkillVersion) => sum + textBytes(version);

/** A copy, of which the caller holds no part. */
function versionOf(draft: SkillDraft, version: number): SkillVersion {
  const { name, language, description, tests, code } = draft;
  const details = structuredClone(detailsOf(draft));
  return {
    name,
    language,
    description,
    ...details,
    ...(tests !== undefined && { tests }),
    code,
    version,
    savedAt: Date.now(),
  };
}

function summaryOf({ code: _code, tests: _tests, ...summary }: SkillVersion): SkillSummary {
  return summary;
}

function fileOf({ name, versions, file }: Shelved): SkillFile {
  return { name, ...file, latest: versions.at(-1)?.version };
}

/** Those with most of the words first; a word in the name weighs most, then one in the tags, the description, the code. */
function search(skills: readonly SkillVersion[], words: readonly string[]): SkillVersion[] {
  const having = (isIt: (found: string, wanted: string) => boolean) =>
    skills
      .map((skill) => ({ skill, score: scoreOf(skill, (found) => words.some((word) => isIt(found, word))) }))
      .filter(({ score }) => score > 0)
      .sort((left, right) => right.score - left.score)
      .map(({ skill }) => skill);
  const whole = having((found, wanted) => found === wanted.toLowerCase());
  return whole.length > 0 ? whole : having((found, wanted) => found.startsWith(wanted.toLowerCase()));
}

function scoreOf({ name, tags, description, code }: SkillVersion, isWanted: (word: string) => boolean): number {
  const texts = [code, description, tags.join(" "), name];
  return texts.reduce((sum, text, weight) => {
    const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    return sum + (words.some(isWanted) ? 10 ** weight : 0);
  }, 0);
}
