import { constants } from "node:fs";
import { mkdir, open, realpath } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import * as z from "zod";
import { messageOf } from "../../errors.ts";
import { packageFile } from "../../system/package-file.ts";
import { replaceFile } from "../../system/replace-file.ts";
import { examineProgram } from "../examine-program.ts";
import { type InterpreterView, mayBeLinked, viewOfInterpreter } from "./interpreter-view.ts";

/** A Python of this machine, and how it looks from inside a sandbox: none of the host's paths, only what it needs. */
export interface Interpreter {
  readonly version: string;
  /** The program, by its place inside. */
  readonly program: string;
  /** Host files and folders by their places inside. */
  readonly readable: ReadonlyMap<string, string>;
  /** Folders inside that must look empty. */
  readonly hidden: readonly string[];
  /** Folders of packages inside, in the order in which they are searched. */
  readonly packages: readonly string[];
  /** The same folders on the host. */
  readonly packageFolders: readonly string[];
  /** The standard library on the host. */
  readonly standardLibrary: readonly string[];
  /** The program on the host as a program, never a script that picks one; a virtual environment's own. */
  readonly executable: string;
  /** Where its shared libraries are. */
  readonly libraryPath: string;
  /** Modules that can be imported beside the standard library. */
  readonly modules: ReadonlySet<string>;
  /** A folder with our own guest code as it has compiled it. */
  readonly compiled?: string | undefined;
  /** Host files and folders that change when a package is installed or the interpreter is replaced. */
  readonly watched: readonly string[];
}

const identifier = /^[\p{XID_Start}_]\p{XID_Continue}*$/u;
/** What it says may be a lie: every path is checked against what it was shown. */
const description = z.object({
  version: z.array(z.int().min(0).max(999)).length(3),
  executable: z.string(),
  started: z.string(),
  prefixes: z.array(z.string()),
  stdlib: z.array(z.string()),
  packages: z.array(z.string()),
  linked: z.array(z.string()),
  extensions: z.array(z.string()),
  modules: z.array(z.string().max(200).regex(identifier)),
  compiled: z.record(z.string().regex(/^\w+\.[\w-]+\.pyc$/), z.base64()),
});
type Description = z.infer<typeof description>;

const inside = "/python";
/** Where our own guest code is, inside. */
const guestCode = "/guest";
const oldest = [3, 9] as const;
/** The kernel takes no single variable longer than this. */
const preloadBytesMax = 100_000;
const timeZones = "/usr/share/zoneinfo";

export interface DescribeOptions {
  /** The bubblewrap that the interpreter is asked in: nothing of it, or of its packages, runs outside. */
  readonly bubblewrap: string;
  /** Folders of packages that somebody else filled; searched before its own. */
  readonly further?: readonly string[] | undefined;
  /** Whether it may be a script that picks an interpreter, as version managers have. */
  readonly mayBeScript?: boolean | undefined;
  /** Whether folders elsewhere count that its .pth files name, as of packages that are worked on. */
  readonly followsLinks?: boolean | undefined;
  /** A folder for our own guest code, compiled by it. */
  readonly compileTo?: string | undefined;
}

/** Asks the interpreter, once and in a sandbox, what it consists of. Throws when it cannot be used. */
export async function describeInterpreter(program: string, options: DescribeOptions): Promise<Interpreter> {
  const { described, view } = await ask(program, options);
  const [major = 0, minor = 0] = described.version;
  if (major !== oldest[0] || minor < oldest[1]) {
    throw new Error(
      `${program} is Python ${described.version.join(".")}, and guests need ${oldest.join(".")} or newer`,
    );
  }
  const placeOf = (path: string) => placeInside(path, described);
  const libraries = await sharedLibraries(described, view, options);
  const own = described.packages.filter((path) => described.stdlib.includes(dirname(path)));
  const others = described.packages.filter((path) => !own.includes(path));
  const otherPlaces = new Map(others.map((path, index) => [path, `${inside}/packages/${index}`]));
  const places = [described.executable, ...described.stdlib].map((path) => [placeOf(path), path] as const);
  // Without it guests start all the same.
  const compiled = options.compileTo && (await keepCompiled(described, options.compileTo).catch(() => undefined));
  return {
    version: described.version.join("."),
    program: placeOf(described.executable),
    readable: new Map([
      ...places,
      ...[...otherPlaces].map(([path, place]) => [place, path] as const),
      ...[...libraries].map(([path, real]) => [placeOf(path), real] as const),
      ...((await isThere(timeZones)) ? [[timeZones, timeZones] as const] : []),
    ]),
    // The base of a virtual environment has packages that the environment does not see.
    hidden: await baseSitePackages(described.stdlib, own, placeOf),
    packages: described.packages.map((path) => otherPlaces.get(path) ?? placeOf(path)),
    packageFolders: described.packages,
    standardLibrary: described.stdlib,
    executable: described.started,
    libraryPath: [...new Set([...libraries.keys()].map((path) => dirname(placeOf(path))))].join(":"),
    modules: new Set(described.modules),
    ...(compiled && { compiled }),
    watched: [described.executable, ...described.stdlib, ...described.packages, ...(compiled ? [compiled] : [])],
  };
}

async function ask(
  program: string,
  options: DescribeOptions,
): Promise<{ described: Description; view: InterpreterView }> {
  const { further = [], mayBeScript, followsLinks } = options;
  try {
    const startsPrograms = await isScript(program);
    if (startsPrograms && !mayBeScript) throw new Error("it is a script, not a Python");
    let view = viewOfInterpreter(program).with(further);
    let described = await describe(program, view, startsPrograms, options);
    const linked = followsLinks ? described.linked.filter(mayBeLinked) : [];
    if (linked.length > 0) {
      view = view.with(linked);
      described = await describe(program, view, startsPrograms, options);
    }
    const claimed = [described.executable, described.started, ...described.stdlib, ...described.packages];
    const strange = claimed.find((path) => !view.shows(path));
    if (strange !== undefined) throw new Error(`it says that ${strange} is a part of it, which it was not shown`);
    return { described, view };
  } catch (cause) {
    throw new Error(`${program} does not say where its files are: ${messageOf(cause)}`, { cause });
  }
}

async function describe(
  program: string,
  view: InterpreterView,
  startsPrograms: boolean,
  { bubblewrap, further = [], compileTo }: DescribeOptions,
): Promise<Description> {
  const script = [`${guestCode}/describe.py`, ...(compileTo === undefined ? [] : ["--compile"]), ...further];
  const said = await examineProgram({
    bubblewrap,
    command: [program, "-I", "-B", "-S", ...script],
    view: { ...view, readable: new Map([...view.readable, [guestCode, packageFile("dist/guest/python")]]) },
    startsPrograms,
  });
  return description.parse(JSON.parse(said));
}

/** `3.11` of `3.11.7`: packages fit all of these. */
export function minorOf(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

/** A script is for others to run: it only picks an interpreter. */
export async function isScript(program: string): Promise<boolean> {
  const file = await open(program, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)); // a pipe is not waited for
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return buffer.toString() === "#!";
  } finally {
    await file.close();
  }
}

/** For its own guests alone: its maker may also have made it compile something else. */
async function keepCompiled({ compiled }: Description, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const files = Object.entries(compiled).map(([name, text]) =>
    replaceFile(join(folder, name), Buffer.from(text, "base64"), { mode: 0o600 }),
  );
  await Promise.all(files);
  return folder;
}

/** Files of the interpreter stand under one folder; all else keeps its place, which is the system's. */
function placeInside(path: string, { executable, prefixes }: Description): string {
  if (path === executable) return join(inside, "bin", basename(executable));
  const prefix = prefixes.find((folder) => path.startsWith(`${folder}/`));
  const isSystems = prefix === undefined || (prefix === "/usr" && !path.startsWith("/usr/lib/python"));
  return isSystems ? path : join(inside, relative(prefix, path));
}

/**
 * The libraries of the interpreter and of all its extension modules, by path, with their real files. The dynamic loader
 * itself lists them, in the sandbox: for the modules as if they were loaded first, all in one go.
 */
async function sharedLibraries(
  { extensions, executable, stdlib, packages }: Description,
  view: InterpreterView,
  { bubblewrap, further = [] }: DescribeOptions,
): Promise<Map<string, string>> {
  const isFurther = (path: string) => further.some((folder) => path.startsWith(`${folder}/`));
  const list = async (libraries: readonly string[]): Promise<string[]> => {
    const found: string[] = [];
    for (const preload of inPieces(libraries, preloadBytesMax)) {
      const env = new Map([
        ["LD_TRACE_LOADED_OBJECTS", "1"],
        ["LD_PRELOAD", preload],
      ]);
      const said = await examineProgram({ bubblewrap, command: [executable], view: { ...view, env } });
      for (const [, path = ""] of said.matchAll(/(?:=>\s|^\s)\s{0,9}(\/\S+)\s+\(0x/gm)) found.push(path);
    }
    return found;
  };
  const own = ["libstdc++.so.6", "libgcc_s.so.1", ...extensions.filter((path) => !isFurther(path))];
  const listed = await Promise.all([
    list(own),
    list(extensions.filter(isFurther)).catch(() => []), // an import will tell
  ]);
  // What packages bring along lies in their own folders. A file that is made for the loader may make it lie.
  const isBrought = (path: string) => [...stdlib, ...packages].some((folder) => path.startsWith(`${folder}/`));
  const libraries = [...new Set(listed.flat())].filter((path) => !isBrought(path) && view.shows(path));
  return new Map(await Promise.all(libraries.map(async (path) => [path, await realpath(path)] as const)));
}

function inPieces(words: readonly string[], mostBytes: number): string[] {
  const pieces: string[] = [];
  for (const word of words) {
    const last = pieces.at(-1);
    // The loader takes a space or a colon in a path for its end.
    if (/[\s:]/.test(word)) continue;
    if (last !== undefined && Buffer.byteLength(last) + Buffer.byteLength(word) < mostBytes) {
      pieces[pieces.length - 1] = `${last} ${word}`;
    } else pieces.push(word);
  }
  return pieces;
}

async function baseSitePackages(
  stdlib: readonly string[],
  own: readonly string[],
  placeOf: (path: string) => string,
): Promise<string[]> {
  const unseen = stdlib.map((folder) => join(folder, "site-packages")).filter((path) => !own.includes(path));
  const there = await Promise.all(unseen.map(async (path) => ((await isThere(path)) ? [placeOf(path)] : [])));
  return there.flat();
}

async function isThere(path: string): Promise<boolean> {
  return realpath(path).then(
    () => true,
    () => false,
  );
}
