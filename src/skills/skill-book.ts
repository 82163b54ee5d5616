import { type Actor, local } from "../actor.ts";
import { plainLine } from "../catalog/plain-text.ts";
import type { Door } from "../door/door.ts";
import { CoordinatorError, messageOf } from "../errors.ts";
import type { Execute } from "../runtime/execute.ts";
import type { Libraries } from "../runtime/libraries/libraries.ts";
import type { ModuleSource } from "../runtime/modules/module-source.ts";
import { limitOf } from "../runtime/reach.ts";
import {
  refuseOthers,
  type SkillDraft,
  type SkillFile,
  type SkillSummary,
  type Skills,
  type SkillTool,
  type SkillVersion,
} from "../store/skills.ts";
import { nearest } from "../system/nearest.ts";
import { examineSkill, type SkillInput } from "./examine-skill.ts";
import { fileText } from "./file-text.ts";
import type { Mirror } from "./mirror.ts";
import { modulesWithDraft, skillModules, skillsMentioned } from "./skill-modules.ts";
import { isSkillName } from "./skill-name.ts";
import { staleness } from "./staleness.ts";

/** The skills of the user: in the store, in files, and as modules of guests. */
export interface SkillBook {
  readonly store: Skills;
  readonly modules: ModuleSource;
  /** As it is stored. Throws skill_unknown with the nearest name. */
  get(name: string, version: number | undefined): SkillVersion;
  /** The same, after an edit of its file was taken over. */
  current(name: string, version: number | undefined, actor: Actor): Promise<SkillVersion>;
  /** Checks, tests and stores. Throws skill_invalid with every problem in it. */
  save(input: SkillInput, actor: Actor): Promise<SavedSkill>;
  /** Removes a version, or all; answers which. */
  remove(name: string, version: number | undefined, actor: Actor): Promise<readonly number[]>;
  /**
   * Takes over what people changed in files: of these skills, of all now, or of all if that is due. Not while a run asks
   * that may not use everything: an edit is a person's, and its tests may do what the person may.
   */
  takeEdits(which: readonly string[] | "when due" | "now", actor: Actor): Promise<void>;
  /** Does so behind what is being answered now: to read is not to wait for tests, nor to write. */
  takeEditsLater(which: readonly string[] | "when due", actor: Actor): void;
  /** Skills whose files have an edit that nobody has looked at yet; none for a run that may not have them looked at. */
  edited(actor: Actor): Promise<ReadonlySet<string>>;
  /** The same for the skills that code imports, and those that these import. */
  takeEditsFor(code: string): Promise<void>;
  /** Files that hold an edit which could not be taken over, and why. */
  problems(): readonly { readonly name: string; readonly problem: string }[];
  /** The tools that a skill may call, with those of the skills that it imports. */
  toolsOf(skill: SkillDraft | SkillSummary): readonly SkillTool[];
  /** The same, each by its name. */
  callable(skill: SkillDraft | SkillSummary): readonly { readonly server: string; readonly tool: string }[];
  /** What has changed under it since it was saved. */
  stale(skill: SkillSummary): readonly string[];
  /** Takes no more edits: what a stop ends in the middle says nothing about them. */
  close(): void;
}

export interface SavedSkill {
  readonly skill: SkillVersion;
  /** False when it says the same as the latest version: nothing was stored. */
  readonly isNew: boolean;
  /** Why its file is not in step. */
  readonly note?: string;
}

interface Options {
  readonly store: Skills;
  readonly mirror: Mirror;
  readonly libraries: Libraries;
  readonly execute: Execute;
  readonly door: Pick<Door, "own">;
}

/** Looking at all files takes at most this share of the time. */
const shareOfTime = 0.02;

export function createSkillBook({ store, mirror, libraries, execute, door }: Options): SkillBook {
  let nextLook = 0;
  let isClosed = false;
  const looks = { all: Promise.resolve(), named: Promise.resolve() };

  const toolsOf = (skill: SkillDraft | SkillSummary, seen: Set<string> = new Set()): readonly SkillTool[] => {
    const imported = skill.imports.flatMap((specifier) => {
      const [name = "", version] = specifier.split("@");
      if (seen.has(specifier)) return [];
      seen.add(specifier);
      const found = store.peek(name, version === undefined ? undefined : Number(version));
      return found ? toolsOf(found, seen) : [];
    });
    return [...skill.tools, ...imported];
  };
  const callable: SkillBook["callable"] = (skill) =>
    toolsOf(skill).flatMap(({ server, tool }) => {
      if (tool !== "*") return [{ server, tool }];
      return (libraries.peek(server)?.library.tools ?? []).map(({ name }) => ({ server, tool: name }));
    });
  const examine = (input: SkillInput, actor: Actor): Promise<SkillDraft> =>
    examineSkill(input, { execute, libraries, modulesWith: modulesWithDraft, toolsOf: callable }, actor);

  /** The file follows the store; that it cannot is no reason not to save: it is written again when it is next looked at. */
  const withFiles = <Result>(skill: SkillDraft, use: (place: () => string | undefined) => Result): Result => {
    const files = attempt(() => mirror.prepare(skill));
    try {
      return use(() => files && attempt(files.place));
    } finally {
      files?.discard();
    }
  };
  const refile = (name: string): void => {
    const skill = store.peek(name);
    if (skill) withFiles(skill, (place) => store.refile(name, skill.version, place));
  };
  const takeEdit = async (name: string, mark: string): Promise<void> => {
    try {
      const read = mirror.read(name);
      const latest = store.peek(name);
      if (latest && latest.language === read.language && isSame(latest, read)) {
        store.markFile(name, mark, { version: latest.version });
        return;
      }
      if (latest && latest.language !== read.language) throw otherLanguage(latest);
      const draft = await examine({ name, ...read }, { ...local, client: "skills" });
      const { skill } = store.save(draft, () => mark);
      store.markFile(name, mark, { version: skill.version });
    } catch (thrown) {
      if (!isClosed) store.markFile(name, mark, { problem: messageOf(thrown) });
    }
  };
  const bringInStep = async ({ name, ...known }: SkillFile, mark: string | undefined): Promise<void> => {
    if (mark !== undefined && mark !== known.mark) return takeEdit(name, mark);
    // Written for an older version by a process that was killed, or deleted by somebody.
    const isBehind = known.problem === undefined && known.version !== known.latest;
    if (known.latest !== undefined && (mark === undefined || isBehind)) refile(name);
  };
  const look = async (names: readonly string[] | undefined): Promise<void> => {
    const started = performance.now();
    const marks = names ? new Map(names.map((name) => [name, mirror.mark(name)])) : await mirror.marks();
    const files = store.files(names);
    const looked = performance.now();
    if (!names) nextLook = looked + (looked - started) / shareOfTime;
    const known = new Set(files.map(({ name }) => name));
    for (const file of files) await bringInStep(file, marks.get(file.name));
    for (const [name, mark] of marks) if (mark !== undefined && !known.has(name)) await takeEdit(name, mark);
  };
  const takeEdits: SkillBook["takeEdits"] = (which, actor) => {
    if (isClosed || limitOf(actor.may ?? {})) return Promise.resolve();
    if (which === "when due" && performance.now() < nextLook) return Promise.resolve();
    const names = typeof which === "string" ? undefined : which.filter(isSkillName);
    if (names?.length === 0) return Promise.resolve();
    // One after the other, so that an edit is checked once; those of certain skills do not wait for those of all.
    const kind = names ? "named" : "all";
    const taken = looks[kind].catch(() => {}).then(() => look(names));
    looks[kind] = taken;
    return taken;
  };

  const get: SkillBook["get"] = (name, version) => {
    const skill = store.get(name, version);
    if (skill) return skill;
    throw unknownSkill(store, name, version);
  };
  const save: SkillBook["save"] = async (input, actor) => {
    await takeEdits([input.name], actor);
    const latest = store.peek(input.name);
    if (latest) refuseOthers(limitOf(actor.may ?? {}), [latest], "replace");
    if (latest && latest.language !== input.language) throw otherLanguage(latest);
    const draft = await examine(input, actor);
    const [file] = store.files([draft.name]);
    const isEdited = file?.problem !== undefined && mirror.mark(draft.name) !== undefined;
    const saved = isEdited ? store.save(draft) : withFiles(draft, (place) => store.save(draft, place));
    const note = isEdited
      ? `The file ${draft.name} in the folder of skills has an edit that is not valid; it was left as it is.`
      : undefined;
    return { ...saved, ...(note && { note }) };
  };
  const remove: SkillBook["remove"] = async (name, version, actor) => {
    await takeEdits([name], actor);
    const whenGone = () => mirror.remove(name);
    const gone = store.delete(name, { version, limit: limitOf(actor.may ?? {}), whenGone });
    refile(name);
    if (gone.length === 0) throw unknownSkill(store, name, version);
    return gone;
  };

  return {
    store,
    modules: skillModules(store),
    toolsOf,
    callable,
    takeEdits,
    takeEditsLater(which, actor) {
      setImmediate(() => void takeEdits(which, actor).catch(() => {})); // nobody waits for it: the next look tries again
    },
    async edited({ may = {} }) {
      if (limitOf(may)) return new Set();
      const marks = await mirror.marks();
      const known = new Map(store.files().map(({ name, mark }) => [name, mark]));
      return new Set([...marks].flatMap(([name, mark]) => (known.get(name) === mark ? [] : [name])));
    },
    close() {
      isClosed = true;
    },
    async takeEditsFor(code) {
      const seen = new Set<string>();
      for (let names = skillsMentioned(code); names.length > 0; ) {
        await takeEdits(names, local);
        for (const name of names) seen.add(name);
        names = names
          .flatMap((name) => skillsMentioned(store.peek(name)?.code ?? ""))
          .filter((name) => !seen.has(name));
      }
    },
    problems: () => store.files().flatMap(({ name, problem }) => (problem === undefined ? [] : [{ name, problem }])),
    stale: (skill) =>
      staleness(toolsOf(skill), {
        isConfigured: (server) => libraries.modules.some(({ name }) => name === server),
        library: (server) => libraries.peek(server)?.library,
      }),
    get,
    async current(name, version, actor) {
      await takeEdits([name], actor);
      return get(name, version);
    },
    save: (input, actor) => door.own("skills.save", { ...input }, actor, () => save(input, actor)),
    remove: (name, version, actor) =>
      door.own("skills.delete", { name, version }, actor, () => remove(name, version, actor)),
  };
}

/** Undefined when the disk does not let it. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function isSame(latest: SkillVersion, read: ReturnType<Mirror["read"]>): boolean {
  const description = read.description ?? latest.description;
  return fileText({ name: latest.name, ...read, description }) === fileText(latest) && read.tests === latest.tests;
}

function unknownSkill(store: Skills, name: string, version: number | undefined): CoordinatorError {
  const versions = store.history(name).map((skill) => skill.version);
  if (versions.length > 0) {
    return new CoordinatorError("skill_unknown", `The skill "${name}" has no version ${version}`, {
      hint: `There are: ${versions.toReversed().join(", ")}.`,
    });
  }
  const close = nearest(name, store.names());
  return new CoordinatorError("skill_unknown", `There is no skill "${plainLine(name, 200)}"`, {
    hint: close ? `Did you mean "${close}"?` : "search_skills and list_skills show what there is.",
  });
}

function otherLanguage({ name, language }: SkillVersion): CoordinatorError {
  const message = `The skill "${name}" is written in ${language === "python" ? "Python" : "TypeScript"}: a skill stays in its language`;
  return new CoordinatorError("skill_invalid", message, { hint: "Choose another name, or delete it first." });
}
