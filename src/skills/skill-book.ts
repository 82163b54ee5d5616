import type { Actor } from "../actor.ts";
import { plainLine } from "../catalog/plain-text.ts";
import type { Door } from "../door/door.ts";
import { CoordinatorError } from "../errors.ts";
import type { Execute } from "../runtime/execute.ts";
import type { Libraries } from "../runtime/libraries/libraries.ts";
import type { ModuleSource } from "../runtime/modules/module-source.ts";
import { limitOf } from "../runtime/reach.ts";
import { nearest } from "../system/nearest.ts";
import { examineSkill, type SkillInput } from "./examine-skill.ts";
import type { Mirror } from "./mirror.ts";
import { createSkillEdits, otherLanguage, refile, type SkillEdits, withFiles } from "./skill-edits.ts";
import { modulesWithDraft, skillModules } from "./skill-modules.ts";
import { refuseOthers, type SkillStore, type SkillVersion } from "./skill-store.ts";
import { createSkillTools, type SkillTools } from "./skill-tools.ts";

/** The skills of the user: in the store, in files, and as modules of guests. */
export interface SkillBook {
  readonly store: SkillStore;
  readonly modules: ModuleSource;
  readonly edits: SkillEdits;
  readonly tools: SkillTools;
  /** As it is stored. Throws skill_unknown with the nearest name. */
  get(name: string, version?: number): Promise<SkillVersion>;
  /** The same, after an edit of its file was taken over. */
  current(name: string, version: number | undefined, actor: Actor): Promise<SkillVersion>;
  /** Checks, tests and stores. Throws skill_invalid with every problem in it. */
  save(input: SkillSaving, actor: Actor): Promise<SavedSkill>;
  /** Removes a version, or all; answers which. */
  remove(name: string, version: number | undefined, actor: Actor): Promise<readonly number[]>;
}

/** What is not said of tags and tests stays as the latest version has it; null is none. */
interface SkillSaving extends Omit<SkillInput, "tags" | "tests" | "testsOf"> {
  readonly tags?: readonly string[] | null | undefined;
  readonly tests?: string | null | undefined;
}

export interface SavedSkill {
  readonly skill: SkillVersion;
  /** False when it says the same as the latest version: nothing was stored. */
  readonly isNew: boolean;
  /** Why its file is not in step. */
  readonly note?: string;
}

interface Options {
  readonly store: SkillStore;
  readonly mirror: Mirror;
  readonly libraries: Libraries;
  readonly execute: Execute;
  readonly door: Pick<Door, "own">;
}

export function createSkillBook({ store, mirror, libraries, execute, door }: Options): SkillBook {
  const tools = createSkillTools(store, libraries);
  const examination = { execute, libraries, modulesWith: modulesWithDraft, toolsOf: tools.named };
  const examine = (input: SkillInput, actor: Actor) => examineSkill(input, examination, actor);
  const edits = createSkillEdits({ store, mirror, examine });

  const get: SkillBook["get"] = async (name, version) => {
    const skill = await store.get(name, version);
    if (skill) return skill;
    throw await unknownSkill(store, name, version);
  };
  const save: SkillBook["save"] = async (input, actor) => {
    await edits.take([input.name], actor);
    const latest = await store.peek(input.name);
    if (latest) refuseOthers(limitOf(actor.may ?? {}), [latest], "replace");
    if (latest && latest.language !== input.language) throw otherLanguage(latest);
    const draft = await examine(withKept(input, latest), actor);
    const [file] = await store.files([draft.name]);
    const isEdited = file?.problem !== undefined && mirror.mark(draft.name) !== undefined;
    if (!isEdited) return withFiles(mirror, draft, (place) => store.save(draft, place));
    const note = `The file ${draft.name} in the folder of skills has an edit that is not valid; it was left as it is.`;
    return { ...(await store.save(draft)), note };
  };
  const remove: SkillBook["remove"] = async (name, version, actor) => {
    await edits.take([name], actor);
    const whenGone = () => mirror.remove(name);
    const gone = await store.delete(name, { version, limit: limitOf(actor.may ?? {}), whenGone });
    await refile(store, mirror, name);
    if (gone.length === 0) throw await unknownSkill(store, name, version);
    return gone;
  };

  return {
    store,
    modules: skillModules(store),
    edits,
    tools,
    get,
    async current(name, version, actor) {
      await edits.take([name], actor);
      return get(name, version);
    },
    save: (input, actor) => door.own("skills.save", { ...input }, actor, () => save(input, actor)),
    remove: (name, version, actor) =>
      door.own("skills.delete", { name, version }, actor, () => remove(name, version, actor)),
  };
}

function withKept({ tags, tests, ...input }: SkillSaving, latest: SkillVersion | undefined): SkillInput {
  const isKept = tests === undefined && latest?.tests !== undefined;
  return {
    ...input,
    tags: (tags === undefined ? latest?.tags : tags) ?? [],
    tests: (isKept ? latest.tests : tests) ?? undefined,
    testsOf: isKept ? latest.version : undefined,
  };
}

async function unknownSkill(store: SkillStore, name: string, version: number | undefined): Promise<CoordinatorError> {
  const versions = (await store.history(name)).map((skill) => skill.version);
  if (versions.length > 0) {
    return new CoordinatorError("skill_unknown", `The skill "${name}" has no version ${version}`, {
      hint: `Choose one of: ${versions.toReversed().join(", ")}.`,
    });
  }
  const close = nearest(name, await store.names());
  return new CoordinatorError("skill_unknown", `There is no skill "${plainLine(name, 200)}"`, {
    hint: close ? `Did you mean "${close}"?` : "search_skills and list_skills show what there is.",
  });
}
