import { posix, win32 } from "node:path";
import { type Environment, userHome } from "../home.ts";
import type { Family } from "./interpolation.ts";

/** What decides where a client keeps its files. */
export interface System {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Environment;
  readonly cwd: string;
}

/** The one that we run on. */
export function thisSystem(): System {
  return { platform: process.platform, home: userHome(), env: process.env, cwd: process.cwd() };
}

export type Format = "json" | "toml" | "yaml";

/** A place where a client may keep servers. A `*` in its last folders or name stands for anything. */
export interface ClientPlace {
  readonly path: string;
  /** project: it counts in the current folder only, and its servers run there. */
  readonly scope: "user" | "project";
}

/** How a client writes a server that is started as a process. */
export type Shape =
  | "plain"
  | "typed"
  | "zed"
  | "opencode"
  | "goose"
  | "continue"
  | "copilot"
  /** A table of TOML. */
  | "table";

/** An AI client, as far as the files are concerned in which it keeps its MCP servers. */
export interface Client {
  readonly name: string;
  readonly title: string;
  readonly format: Format;
  /** Where in its file the servers are. */
  readonly key: readonly string[];
  readonly shape: Shape;
  readonly family: Family;
  /** The most usual first: that is where we add ourselves. */
  places(system: System): readonly ClientPlace[];
  /** What else it reads in a project: settings, hooks, plugins. A slash at the end is a folder with all that is in it. */
  readonly settings: readonly string[];
  /** Texts of a project that it follows. */
  readonly instructions: readonly string[];
}

/** The folders in which programs of a system keep their settings. */
export interface Folders {
  home(...parts: string[]): ClientPlace;
  /** XDG's, where a program has it on every system. */
  config(...parts: string[]): ClientPlace;
  /** The system's own: Application Support, AppData\Roaming, or XDG's. */
  support(...parts: string[]): ClientPlace;
  /** AppData\Local; nothing elsewhere. */
  local(...parts: string[]): readonly ClientPlace[];
  project(...parts: string[]): ClientPlace;
  /** Below the folder that a variable names; nothing when it is not set. */
  named(variable: string, ...parts: string[]): readonly ClientPlace[];
  /** The same file of every editor that is VS Code, or is made of it. */
  editors(...parts: string[]): readonly ClientPlace[];
  readonly isWindows: boolean;
  readonly isMac: boolean;
}

const editors = ["Code", "Code - Insiders", "VSCodium", "Cursor"];

export function foldersOf({ platform, home, env, cwd }: System): Folders {
  const path = platform === "win32" ? win32 : posix;
  const isWindows = platform === "win32";
  const user = (...parts: string[]): ClientPlace => ({ path: path.join(...parts), scope: "user" });
  // XDG: a relative path is invalid and is ignored.
  const shared = env["XDG_CONFIG_HOME"];
  const config = shared && path.isAbsolute(shared) ? shared : path.join(home, ".config");
  const local = env["LOCALAPPDATA"] || path.join(home, "AppData", "Local");
  const supportFolder = isWindows
    ? env["APPDATA"] || path.join(home, "AppData", "Roaming")
    : platform === "darwin"
      ? path.join(home, "Library", "Application Support")
      : config;
  return {
    home: (...parts) => user(home, ...parts),
    config: (...parts) => user(config, ...parts),
    support: (...parts) => user(supportFolder, ...parts),
    local: (...parts) => (isWindows ? [user(local, ...parts)] : []),
    project: (...parts) => ({ path: path.join(cwd, ...parts), scope: "project" }),
    named(variable, ...parts) {
      const folder = env[variable];
      return folder && path.isAbsolute(folder) ? [user(folder, ...parts)] : [];
    },
    editors: (...parts) => editors.map((editor) => user(supportFolder, editor, "User", ...parts)),
    isWindows,
    isMac: platform === "darwin",
  };
}
