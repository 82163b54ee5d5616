import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, normalize, relative } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { CoordinatorError } from "../../errors.ts";
import { bubblewrapArguments } from "../bubblewrap.ts";
import { packageFile } from "../deno/binary.ts";

const run = promisify(execFile);

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
  /** Host files and folders that change when a package is installed or the interpreter is replaced. */
  readonly watched: readonly string[];
}

const description = z.object({
  version: z.array(z.number()),
  executable: z.string(),
  started: z.string(),
  prefixes: z.array(z.string()),
  stdlib: z.array(z.string()),
  packages: z.array(z.string()),
  extensions: z.array(z.string()),
  modules: z.array(z.string()),
});
type Description = z.infer<typeof description>;

const inside = "/python";
const oldest = [3, 9] as const;
/** The kernel takes no single variable longer than this. */
const preloadBytesMax = 100_000;
const timeZones = "/usr/share/zoneinfo";

/** Packages that somebody else filled, and the bubblewrap in which their files are looked at. */
export interface FurtherPackages {
  readonly folders: readonly string[];
  readonly bubblewrap: string;
}

/**
 * Asks the interpreter, once, what it consists of; further packages are searched before its own. Throws when it cannot
 * be used.
 */
export async function describeInterpreter(program: string, further?: FurtherPackages): Promise<Interpreter> {
  const described = await ask(program, further?.folders ?? []);
  const [major = 0, minor = 0] = described.version;
  if (major !== oldest[0] || minor < oldest[1]) {
    throw unusable(`${program} is Python ${described.version.join(".")}, and guests need ${oldest.join(".")} or newer`);
  }
  const placeOf = (path: string) => placeInside(path, described);
  const libraries = await sharedLibraries(described, further);
  const own = described.packages.filter((path) => described.stdlib.includes(dirname(path)));
  const others = described.packages.filter((path) => !own.includes(path));
  const otherPlaces = new Map(others.map((path, index) => [path, `${inside}/packages/${index}`]));
  const places = [described.executable, ...described.stdlib].map((path) => [placeOf(path), path] as const);
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
    watched: [described.executable, ...described.stdlib, ...described.packages],
  };
}

async function ask(program: string, packages: readonly string[]): Promise<Description> {
  const script = packageFile("dist/guest/python/describe.py");
  try {
    const args = ["-I", "-B", "-S", script, ...packages];
    const { stdout } = await run(program, args, { timeout: 20_000, maxBuffer: 16 * 1024 * 1024 });
    return description.parse(JSON.parse(stdout));
  } catch (cause) {
    throw unusable(`${program} does not say where its files are`, cause);
  }
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
 * itself lists them: for the modules as if they were loaded first, all in one go.
 */
async function sharedLibraries(
  described: Description,
  further: FurtherPackages | undefined,
): Promise<Map<string, string>> {
  const { extensions, executable, stdlib, packages } = described;
  const isFurther = (path: string) => further?.folders.some((folder) => path.startsWith(`${folder}/`)) === true;
  const own = ["libstdc++.so.6", "libgcc_s.so.1", ...extensions.filter((path) => !isFurther(path))];
  const found = await trace(own, (environment) => [executable, [], environment]);
  if (further) {
    const sandbox = traceSandbox(described, further, found);
    const listed = await trace(extensions.filter(isFurther), sandbox).catch(() => []); // an import will tell
    // Whoever made these files may also have made the loader say so.
    for (const path of listed) if (isSystemLibrary(path)) found.add(path);
  }
  // What packages bring along lies in their own folders.
  const libraries = [...found].filter(
    (path) => ![...stdlib, ...packages].some((folder) => path.startsWith(`${folder}/`)),
  );
  return new Map(await Promise.all(libraries.map(async (path) => [path, await realpath(path)] as const)));
}

type TraceCommand = (
  environment: Record<string, string>,
) => readonly [file: string, args: readonly string[], environment: Record<string, string>];

async function trace(libraries: readonly string[], command: TraceCommand): Promise<Set<string>> {
  const found = new Set<string>();
  for (const preload of inPieces(libraries, preloadBytesMax)) {
    const [file, args, env] = command({ LD_TRACE_LOADED_OBJECTS: "1", LD_PRELOAD: preload });
    const { stdout } = await run(file, args, { env, timeout: 20_000, maxBuffer: 16 * 1024 * 1024 });
    for (const [, path] of stdout.matchAll(/(?:=>\s+|^\s+)(\/\S+)\s+\(0x/gm)) found.add(path as string);
  }
  return found;
}

/** The loader only lists, but a file that is made for it can take it over: it works where there is nothing to take. */
function traceSandbox(
  { executable }: Description,
  { folders, bubblewrap }: FurtherPackages,
  known: ReadonlySet<string>,
): TraceCommand {
  const places = folders.map((folder, index) => [folder, `/packages/${index}`] as const);
  const usual = [...systemLibraries, "/etc/ld.so.cache", ...known].filter((path) => existsSync(path));
  const readable = new Map([
    ...usual.map((path) => [path, path] as const),
    ...places.map(([folder, place]) => [place, folder] as const),
    ["/python", executable] as const,
  ]);
  return ({ LD_PRELOAD = "", ...others }) => {
    const preload = places.reduce((text, [folder, place]) => text.replaceAll(`${folder}/`, `${place}/`), LD_PRELOAD);
    const environment = new Map(Object.entries({ ...others, LD_PRELOAD: preload }));
    const view = { readable, links: new Map(), environment, scratchBytes: 4096 };
    return [bubblewrap, [...bubblewrapArguments(view), "/python"], {}];
  };
}

const systemLibraries = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];

function isSystemLibrary(path: string): boolean {
  const isIn = (file: string) => systemLibraries.some((folder) => file.startsWith(`${folder}/`));
  return normalize(path) === path && isIn(path) && existsSync(path) && isIn(realpathSync(path));
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

export function unusable(problem: string, cause?: unknown): CoordinatorError {
  return new CoordinatorError("engine_unavailable", `The engine "cpython" cannot run here: ${problem}`, {
    hint: 'Install both (apt-get install bubblewrap python3) and allow user namespaces; "pyodide" needs neither.',
    cause,
  });
}
