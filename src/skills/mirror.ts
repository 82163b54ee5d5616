import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../errors.ts";
import { writeDraft } from "../system/replace-file.ts";
import { fileText, readFileText, type SkillText } from "./file-text.ts";
import { isSkillName } from "./skill-name.ts";
import type { SkillDraft, SkillVersion } from "./skill-store.ts";

/** Skills as files that people read, edit and keep in git: `<name>.ts` or `.py`, and their tests in `<name>.test.ts` or `.py`. */
export interface Mirror {
  /** Writes the files of a skill beside those that are there: slow, and nothing that anybody sees. */
  prepare(skill: SkillDraft): PreparedFiles;
  remove(name: string): void;
  /** What tells whether the files of a skill are as they were; undefined when there are none. */
  mark(name: string): string | undefined;
  /** The marks of all skills that have files. */
  marks(): Promise<ReadonlyMap<string, string>>;
  /** Throws when there is not exactly one file of code, or it is not a plain file. */
  read(name: string): SkillText & { readonly language: SkillVersion["language"] };
}

interface PreparedFiles {
  /** Puts the files in their place, at once and whole, and answers their mark. */
  place(): string;
  /** Removes what was not placed. */
  discard(): void;
}

const endings = { typescript: "ts", python: "py" } as const;
/** In the order in which marks name them. */
const suffixes = [".py", ".test.py", ".test.ts", ".ts"] as const;
const fileName = /^([a-z][a-z0-9_]*)((?:\.test)?\.(?:ts|py))$/;
const temporaryName = /^\.[a-z0-9_.]+\.[0-9a-f]{12}\.tmp$/;
/** A file that is being written is younger than this. */
const writingMs = 60_000;
const mostBytes = 1_000_000;
/** How many files are looked at before others get their turn. */
const batch = 200;

export function createMirror(folder: string): Mirror {
  const pathOf = (name: string, suffix: string): string => {
    if (!isSkillName(name)) throw new Error(`"${name}" is not the name of a skill`);
    return join(folder, `${name}${suffix}`);
  };
  const mark = (name: string): string | undefined => {
    const parts = suffixes.flatMap((suffix) => {
      const stat = lstatSync(pathOf(name, suffix), { throwIfNoEntry: false });
      return stat ? [partOf(suffix, stat)] : [];
    });
    return parts.join(" ") || undefined;
  };
  return {
    mark,
    prepare(skill) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const ending = endings[skill.language];
      const wanted = new Map<string, string>([[`.${ending}`, fileText(skill)]]);
      if (skill.tests !== undefined) wanted.set(`.test.${ending}`, skill.tests);
      const written = [...wanted].map(([suffix, text]) => {
        const draft = join(folder, `.${skill.name}${suffix}.${randomBytes(6).toString("hex")}.tmp`);
        return writeDraft(pathOf(skill.name, suffix), text, { mode: 0o600, flush: true, draft });
      });
      return {
        place() {
          for (const draft of written) draft.place();
          for (const suffix of suffixes) if (!wanted.has(suffix)) rmSync(pathOf(skill.name, suffix), { force: true });
          return mark(skill.name) ?? "";
        },
        discard() {
          for (const draft of written) draft.discard();
        },
      };
    },
    remove(name) {
      for (const suffix of suffixes) rmSync(pathOf(name, suffix), { force: true });
    },
    async marks() {
      const found = new Map<string, string[]>();
      const files = await readdir(folder).catch(() => []); // no folder: no files
      for (let start = 0; start < files.length; start += batch) {
        await Promise.all(files.slice(start, start + batch).map((file) => look(folder, file, found)));
      }
      return new Map([...found].map(([name, parts]) => [name, parts.sort().join(" ")]));
    },
    read(name) {
      const [one, other] = (["typescript", "python"] as const).flatMap((language) => {
        const text = readPlainFile(pathOf(name, `.${endings[language]}`));
        return text === undefined ? [] : [{ language, text }];
      });
      if (!one) throw new Error("there are tests and no code");
      if (other) throw new Error(`there are both ${name}.ts and ${name}.py`);
      const tests = readPlainFile(pathOf(name, `.test.${endings[one.language]}`));
      return { language: one.language, ...readFileText(one.text, one.language), ...(tests !== undefined && { tests }) };
    },
  };
}

function partOf(suffix: string, { mtimeMs, size }: { readonly mtimeMs: number; readonly size: number }): string {
  return `${suffix}:${mtimeMs}:${size}`;
}

async function look(folder: string, file: string, found: Map<string, string[]>): Promise<void> {
  const path = join(folder, file);
  const [, name = "", suffix = ""] = fileName.exec(file) ?? [];
  if (name === "" && !temporaryName.test(file)) return;
  const stat = await lstat(path).catch(() => undefined); // gone since the folder was read
  if (!stat) return;
  if (name === "") {
    // Left by a process that was killed while it wrote.
    if (Date.now() - stat.mtimeMs > writingMs) await rm(path, { force: true });
    return;
  }
  found.set(name, [...(found.get(name) ?? []), partOf(suffix, stat)]);
}

/** Undefined when there is none. Links are not followed. */
function readPlainFile(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw code === "ELOOP" ? new Error("it is a symbolic link") : new Error(`it cannot be read: ${messageOf(thrown)}`);
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new Error("it is not a plain file");
    if (stat.size > mostBytes) throw new Error(`it has ${stat.size} bytes, more than ${mostBytes}`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}
