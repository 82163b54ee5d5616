import { type Actor, local } from "../actor.ts";
import { CoordinatorError, messageOf } from "../errors.ts";
import { limitOf } from "../runtime/reach.ts";
import type { SkillInput } from "./examine-skill.ts";
import { fileText } from "./file-text.ts";
import type { Mirror } from "./mirror.ts";
import { skillsMentioned } from "./skill-modules.ts";
import { isSkillName } from "./skill-name.ts";
import type { PlaceFile, SkillDraft, SkillFile, SkillStore, SkillVersion } from "./skill-store.ts";

/** What people change in the files of skills, and the files in step with the store. */
export interface SkillEdits {
  /**
   * Takes over what people changed in files: of these skills, of all now, or of all if that is due. Not while a run asks
   * that may not use everything: an edit is a person's, and its tests may do what the person may.
   */
  take(which: readonly string[] | "when due" | "now", actor: Actor): Promise<void>;
  /** Does so behind what is being answered now: to read is not to wait for tests, nor to write. */
  takeLater(which: readonly string[] | "when due", actor: Actor): void;
  /** The same for the skills that code imports, and those that these import. */
  takeFor(code: string): Promise<void>;
  /** Skills whose files have an edit that nobody has looked at yet; none for a run that may not have them looked at. */
  waiting(actor: Actor): Promise<ReadonlySet<string>>;
  /** Files that hold an edit which could not be taken over, and why. */
  problems(): Promise<readonly { readonly name: string; readonly problem: string }[]>;
  /** Takes no more edits: what a stop ends in the middle says nothing about them. */
  close(): void;
}

export interface EditsOptions {
  readonly store: SkillStore;
  readonly mirror: Mirror;
  examine(input: SkillInput, actor: Actor): Promise<SkillDraft>;
}

/** Looking at all files takes at most this share of the time. */
const shareOfTime = 0.02;

export function createSkillEdits({ store, mirror, examine }: EditsOptions): SkillEdits {
  let nextLook = 0;
  let isClosed = false;
  const looks = { all: Promise.resolve(), named: Promise.resolve() };

  const takeEdit = async (name: string, mark: string): Promise<void> => {
    try {
      const version = await takenOver(name, mark, { store, mirror, examine });
      await store.markFile(name, mark, { version });
    } catch (thrown) {
      if (!isClosed) await store.markFile(name, mark, { problem: messageOf(thrown) });
    }
  };
  const bringInStep = async ({ name, ...known }: SkillFile, mark: string | undefined): Promise<void> => {
    if (mark !== undefined && mark !== known.mark) return takeEdit(name, mark);
    // Written for an older version by a process that was killed, or deleted by somebody.
    const isBehind = known.problem === undefined && known.version !== known.latest;
    if (known.latest !== undefined && (mark === undefined || isBehind)) await refile(store, mirror, name);
  };
  const look = async (names: readonly string[] | undefined): Promise<void> => {
    const started = performance.now();
    const marks = names ? new Map(names.map((name) => [name, mirror.mark(name)])) : await mirror.marks();
    const files = await store.files(names);
    const looked = performance.now();
    if (!names) nextLook = looked + (looked - started) / shareOfTime;
    const known = new Set(files.map(({ name }) => name));
    for (const file of files) await bringInStep(file, marks.get(file.name));
    for (const [name, mark] of marks) if (mark !== undefined && !known.has(name)) await takeEdit(name, mark);
  };
  const take: SkillEdits["take"] = (which, actor) => {
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

  return {
    take,
    takeLater(which, actor) {
      setImmediate(() => void take(which, actor).catch(() => {})); // nobody waits for it: the next look tries again
    },
    takeFor: (code) => takeImported(store, code, (names) => take(names, local)),
    waiting: ({ may = {} }) => (limitOf(may) ? Promise.resolve(new Set()) : editedFiles(store, mirror)),
    async problems() {
      const files = await store.files();
      return files.flatMap(({ name, problem }) => (problem === undefined ? [] : [{ name, problem }]));
    },
    close() {
      isClosed = true;
    },
  };
}

async function takeImported(
  store: SkillStore,
  code: string,
  take: (names: readonly string[]) => Promise<void>,
): Promise<void> {
  const seen = new Set<string>();
  for (let names = skillsMentioned(code); names.length > 0; ) {
    await take(names);
    for (const name of names) seen.add(name);
    const taken = await Promise.all(names.map((name) => store.peek(name)));
    names = taken.flatMap((skill) => skillsMentioned(skill?.code ?? "")).filter((name) => !seen.has(name));
  }
}

async function editedFiles(store: SkillStore, mirror: Mirror): Promise<ReadonlySet<string>> {
  const marks = await mirror.marks();
  const known = new Map((await store.files()).map(({ name, mark }) => [name, mark]));
  return new Set([...marks].flatMap(([name, mark]) => (known.get(name) === mark ? [] : [name])));
}

/** Stores what a file says, unless the latest version says the same; answers the version that it is. */
async function takenOver(name: string, mark: string, { store, mirror, examine }: EditsOptions): Promise<number> {
  const read = mirror.read(name);
  const latest = await store.peek(name);
  if (latest && latest.language !== read.language) throw otherLanguage(latest);
  if (latest && isSame(latest, read)) return latest.version;
  const draft = await examine({ name, ...read }, { ...local, client: "skills" });
  const { skill } = await store.save(draft, () => mark);
  return skill.version;
}

/** Writes the file of the latest version again. */
export async function refile(store: SkillStore, mirror: Mirror, name: string): Promise<void> {
  const skill = await store.peek(name);
  if (skill) await withFiles(mirror, skill, (place) => store.refile(name, skill.version, place));
}

/** The file follows the store; that it cannot is no reason not to save: it is written again when it is next looked at. */
export async function withFiles<Result>(
  mirror: Mirror,
  skill: SkillDraft,
  use: (place: PlaceFile) => Promise<Result>,
): Promise<Result> {
  const files = attempt(() => mirror.prepare(skill));
  try {
    return await use(() => files && attempt(files.place));
  } finally {
    files?.discard();
  }
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

export function otherLanguage({ name, language }: SkillVersion): CoordinatorError {
  const message = `The skill "${name}" is written in ${language === "python" ? "Python" : "TypeScript"}: a skill stays in its language`;
  return new CoordinatorError("skill_invalid", message, { hint: "Choose another name, or delete it first." });
}
