import { existsSync, readdirSync } from "node:fs";
import { dirname, posix, win32 } from "node:path";
import { type ProcessEnv, userHome } from "./home.ts";

/**
 * Where to look for a command such as npx or uvx, best first, each folder once. A client that was started from a desktop
 * has a short PATH, so the folders where version managers and installers put programs follow, if they exist.
 */
export function commandFolders(
  env: ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  const listed = pathFolders(env, platform);
  const known = platform === "win32" ? windowsFolders(env) : posixFolders(userHome(env, platform));
  return [...new Set([...listed, dirname(process.execPath), ...known.filter((folder) => existsSync(folder))])];
}

/** The folders of PATH. An empty or relative entry means the current folder, where anybody may have put an "npx". */
export function pathFolders(
  env: ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  const path = platform === "win32" ? win32 : posix;
  return (env["PATH"] ?? env["Path"] ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}

function posixFolders(home: string): readonly string[] {
  const inHome = (folder: string) => posix.join(home, folder);
  return [
    posix.join(newestIn(inHome(".nvm/versions/node")), "bin"),
    ...[".volta/bin", ".asdf/shims", ".local/share/mise/shims", ".pyenv/shims"].map(inHome),
    ...[".local/bin", ".cargo/bin", ".bun/bin", ".deno/bin"].map(inHome),
    "/opt/homebrew/bin",
    "/usr/local/bin",
    ...["miniconda3/bin", "anaconda3/bin"].map(inHome),
  ];
}

function windowsFolders(env: ProcessEnv): readonly string[] {
  const home = userHome(env, "win32");
  const roaming = env["APPDATA"] || win32.join(home, "AppData", "Roaming");
  const local = env["LOCALAPPDATA"] || win32.join(home, "AppData", "Local");
  const python = win32.join(local, "Programs", "Python");
  return [
    win32.join(roaming, "npm"),
    win32.join(python, "Scripts"),
    win32.join(newestIn(python), "Scripts"),
    win32.join(local, "uv"),
  ];
}

/** Of folders named by version (v9.1.0, v20.19.0) the newest; `folder` itself when it holds none. */
function newestIn(folder: string): string {
  const path = folder.includes("\\") ? win32 : posix;
  const [newest] = existsSync(folder)
    ? readdirSync(folder).sort((left, right) => right.localeCompare(left, "en", { numeric: true }))
    : [];
  return newest === undefined ? folder : path.join(folder, newest);
}
