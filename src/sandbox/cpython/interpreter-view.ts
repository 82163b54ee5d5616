import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, normalize, resolve } from "node:path";
import { userHome } from "../../config/home.ts";
import { programEnv } from "../../config/program-env.ts";
import type { BubblewrapView } from "../bubblewrap.ts";

/** What of the host an interpreter is shown when it is asked what it consists of, each file by its own path. */
export interface InterpreterView extends Pick<BubblewrapView, "readable" | "links" | "env"> {
  /** Whether a path, and what it leads to, is among what is shown. */
  shows(path: string): boolean;
  /** The same with more of the host in it. */
  with(more: readonly string[]): InterpreterView;
}

/** Where systems and package managers keep programs and libraries; nothing of a user is there. */
const systemFolders = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"],
  ...["/nix/store", "/gnu/store", "/home/linuxbrew/.linuxbrew"],
];
/** How the dynamic loader finds libraries, and which of several programs a name means. */
const systemFiles = ["/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives"];
/** What version managers go by beside their own folder. */
const versionFiles = [".tool-versions", ".asdfrc", ".python-version", ".config/mise", ".config/asdf"];
const versionVariables = [
  "PYENV_ROOT",
  "PYENV_VERSION",
  "ASDF_DIR",
  "ASDF_DATA_DIR",
  "MISE_DATA_DIR",
  "MISE_CONFIG_DIR",
];
const mostLinks = 40;
const configurationBytes = 64 * 1024;

/** The system, and of everything else only the folders of programs and libraries around the interpreter. */
export function viewOfInterpreter(program: string): InterpreterView {
  const isSystems = (path: string) => systemFolders.some((folder) => path.startsWith(`${folder}/`));
  const own = placesOf(program)
    .flatMap(foldersAround)
    .filter((path) => !isSystems(path));
  const system = [...systemFolders, ...systemFiles].filter((path) => existsSync(path));
  return createView([...system, ...own]);
}

function createView(paths: readonly string[]): InterpreterView {
  const linked = paths.filter((path) => systemFolders.includes(path) && lstatSync(path).isSymbolicLink());
  const bound = [...new Set(paths)].filter((path) => !linked.includes(path));
  const isIn = (path: string, roots: readonly string[]) =>
    roots.some((root) => path === root || path.startsWith(`${root}/`));
  const real = bound.map((root) => realpathSync(root));
  return {
    readable: new Map(bound.map((path) => [path, path])),
    links: new Map(linked.map((path) => [path, readlinkSync(path)])),
    env: new Map([
      ...Object.entries(programEnv(versionVariables)).filter(([name]) => versionVariables.includes(name)),
      ...[
        ["HOME", userHome()] as const,
        ["PATH", "/usr/local/bin:/usr/bin:/bin"] as const,
        ["LANG", "C.UTF-8"] as const,
      ],
    ]),
    shows(path) {
      const isPlain = isAbsolute(path) && normalize(path) === path && existsSync(path);
      return isPlain && isIn(path, [...bound, ...linked]) && isIn(realpathSync(path), real);
    },
    with: (more) => createView([...paths, ...more]),
  };
}

/** The program, what it is a link to, step by step, and where the program is of which it is a copy. */
function placesOf(program: string): string[] {
  const places = [program];
  for (
    let path = program;
    places.length < mostLinks && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  ) {
    path = resolve(dirname(path), readlinkSync(path));
    places.push(path);
  }
  const copied = places.flatMap((place) => homeIn(join(dirname(dirname(place)), "pyvenv.cfg")));
  const last = places.at(-1) ?? program;
  return [...places, ...(existsSync(last) ? [realpathSync(last)] : []), ...copied.map((home) => join(home, "python"))];
}

/** The folder of the base interpreter that a virtual environment names. */
function homeIn(file: string): string[] {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > configurationBytes) return [];
  const line = readFileSync(file, "utf8")
    .split("\n")
    .find((text) => text.split("=", 1)[0]?.trim() === "home");
  const home = normalize(line?.slice(line.indexOf("=") + 1).trim() ?? "");
  return isAbsolute(home) ? [home] : [];
}

/** Of the folder above a program's, what belongs to programs; all of it only where a version manager owns it. */
function foldersAround(program: string): string[] {
  const folder = dirname(program);
  const prefix = dirname(folder);
  const isManagers = basename(folder) === "shims" && !isAbove(prefix, userHome());
  // A folder that holds everything, as /tmp does, is not the interpreter's.
  const isOthers = prefix === "/" || isAbove(folder, userHome());
  const candidates = isManagers
    ? [prefix, ...versionFiles.map((name) => join(userHome(), name))]
    : [isOthers ? program : folder, ...["lib", "lib64", "pyvenv.cfg"].map((name) => join(prefix, name))];
  return candidates.filter((path) => existsSync(path));
}

function isAbove(path: string, folder: string): boolean {
  return path === "/" || path === folder || folder.startsWith(`${path}/`);
}

/** Whether a folder can be shown to guests because a file of the user's packages names it. */
export function mayBeLinked(path: string): boolean {
  const isPlain = isAbsolute(path) && normalize(path) === path;
  return (
    isPlain &&
    statSync(path, { throwIfNoEntry: false })?.isDirectory() === true &&
    !isAbove(realpathSync(path), userHome())
  );
}
