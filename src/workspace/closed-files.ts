import type { Stats } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { matchesGlob } from "../catalog/glob.ts";
import { type GoverningFile, governingFiles } from "../config/governing-files.ts";
import { messageOf } from "../errors.ts";
import { foldName } from "../system/fold-name.ts";
import { fileIdentity, identityIn, realPlace, statIfThere } from "../system/real-place.ts";

type Use = "read" | "change";

/** What of the workspace is not for guests and file tools, at this moment. Answers say why, and follow a path. */
export interface ClosedFiles {
  /** Undefined when the path may be used so, as far as its name tells. */
  byName(parts: readonly string[], use: Use): string | undefined;
  /** The same for the entries of one folder, which are many. */
  within(folder: readonly string[]): (name: string, use: Use) => string | undefined;
  /** The same of what was found there: it may be another name of a file that is closed. */
  byIdentity(found: Stats, use: Use): string | undefined;
  /** Whether any file that is closed has another name somewhere. */
  haveOtherNames(): boolean;
}

/** `own` are the files that a coordinator here goes by, whatever they are called. */
export function createClosedFiles(root: string, own: () => readonly GoverningFile[]): () => ClosedFiles {
  return () => {
    const files = own();
    const places = attempt(() => placesIn(root, files));
    const within: ClosedFiles["within"] = (folder) => {
      const above = folder.map(foldName);
      const ofFolder = strictest(above.map((_name, at) => rowOf(above.slice(0, at + 1))));
      return (name, use) => {
        if (typeof places === "string") return places;
        const folded = [...above, foldName(name)];
        const place = places.find((known) => isAt(known, folded));
        const row = strictest([ofFolder, rowOf(folded), place]);
        if (row) return problem(row, use);
        return use === "change" && folded.at(-1) === "head" ? problem(gitHead, use) : undefined;
      };
    };
    return {
      within,
      byName(parts, use) {
        if (typeof places === "string") return places;
        const name = parts.at(-1);
        return name === undefined ? undefined : within(parts.slice(0, -1))(name, use);
      },
      byIdentity(found, use) {
        const identity = identityIn(found);
        // Looked at again: an editor may have put another file in its place meanwhile.
        const same = attempt(() => files.find(({ path }) => fileIdentity(path) === identity));
        return typeof same === "string" ? same : same && problem(same, use);
      },
      haveOtherNames: () => attempt(() => files.some(({ path }) => (statIfThere(path)?.nlink ?? 0) > 1)) !== false,
    };
  };
}

/** A text says why it cannot be known what is closed: then everything is. */
function attempt<Result>(look: () => Result): Result | string {
  try {
    return look();
  } catch (thrown) {
    return `cannot be judged: a file of the configuration cannot be looked at (${messageOf(thrown)})`;
  }
}

/** git takes a folder that has it for a repository, wherever its objects and refs are, and runs what its config says. */
const gitHead: GoverningFile = {
  path: "HEAD",
  access: "read",
  why: "a file of that name makes a git repository of its folder",
};

function problem({ access, why }: GoverningFile, use: Use): string | undefined {
  if (access === "none") return `is closed: ${why}`;
  return use === "change" ? `can be read and not changed: ${why}` : undefined;
}

interface Place extends GoverningFile {
  /** The parts of its path in the workspace, folded. */
  readonly names: readonly string[];
  readonly copies: RegExp;
}

/** Each where it stands and, when it is a link, where that leads. */
function placesIn(root: string, files: readonly GoverningFile[]): readonly Place[] {
  const folder = realPlace(root);
  return files.flatMap((file) => {
    const standing = join(realPlace(dirname(file.path)), basename(file.path));
    return [standing, realPlace(file.path)].flatMap((place) => {
      const way = relative(folder, place);
      const names = way.split(sep).map(foldName);
      const isInside = way !== "" && names[0] !== ".." && !isAbsolute(way);
      return isInside ? [{ ...file, names, copies: copiesOf(names.slice(-1)) }] : [];
    });
  });
}

const rows = governingFiles.map((file) => ({ file, names: file.path.replace(/\/$/, "").split("/").map(foldName) }));
/** Nearly all are a name that counts wherever it stands. */
const byName = new Map(
  rows
    .filter(({ names }) => names.length === 1)
    .map(({ file, names }) => [names.join(), file] as const)
    .reverse(), // of two rows the first counts
);
const globs = rows.filter(({ names }) => names[0]?.includes("*"));
const paths = rows.filter(({ names }) => names.length > 1);

/** The row that the end of a path falls under; those of the folders above are theirs. */
function rowOf(folded: readonly string[]): GoverningFile | undefined {
  const name = folded.at(-1) ?? "";
  const path = paths.find(({ names }) => endsWith(folded, names));
  return byName.get(name) ?? copied(name) ?? (path ?? globs.find(({ names }) => endsWith(folded, names)))?.file;
}

function endsWith(folded: readonly string[], names: readonly string[]): boolean {
  const start = folded.length - names.length;
  return start >= 0 && names.every((pattern, at) => fits(folded[start + at] ?? "", pattern));
}

function fits(name: string, pattern: string): boolean {
  return pattern.includes("*") ? matchesGlob(name, pattern) : name === pattern;
}

function strictest(found: readonly (GoverningFile | undefined)[]): GoverningFile | undefined {
  return found.find((row) => row?.access === "none") ?? found.find((row) => row !== undefined);
}

/** Whether a path leads to it, into it, or to a copy of it. */
function isAt({ names, access, copies }: Place, folded: readonly string[]): boolean {
  const last = names.length - 1;
  return names.every((name, at) => {
    const found = folded[at] ?? "";
    return found === name || (at === last && access === "none" && copies.test(found));
  });
}

/** Of `.env` people publish these, without values. */
const published = /^\.env\.(?:example|sample|template|dist|defaults|schema)$/;

/** Names that say that they are a copy of a file, as editors and we leave them: `.mcp.json.backup`, `mcp.json~`, `.#mcp.json`. */
function copiesOf(names: readonly string[]): RegExp {
  const any = names.map((name) => name.replace(/[^\w]/g, "\\$&")).join("|");
  return new RegExp(`^(?:\\.#|[.#])?(${any})(?=$|[.~#_-])`);
}

const copiesOfAny = copiesOf([...byName].flatMap(([name, { path }]) => (path.endsWith("/") ? [] : [name])));

function copied(name: string): GoverningFile | undefined {
  const [, original] = copiesOfAny.exec(name) ?? [];
  return original === undefined || published.test(name) ? undefined : byName.get(original);
}
