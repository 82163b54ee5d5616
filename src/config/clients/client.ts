import { posix, win32 } from "node:path";
import { type ProcessEnv, userHome } from "../home.ts";
import type { Family } from "./interpolation.ts";

/** What decides where a client keeps its files. */
export interface System {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: ProcessEnv;
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
export type EntryShape =
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
export interface KnownClient {
  readonly name: string;
  readonly title: string;
  readonly format: Format;
  /** Where in its file the servers are. */
  readonly key: readonly string[];
  readonly shape: EntryShape;
  readonly family: Family;
  /** The most usual first: that is where we add ourselves. */
  places(system: System): readonly ClientPlace[];
  /** What else it reads in a project: settings, hooks, plugins. A slash at the end is a folder with all that is in it. */
  readonly settings: readonly string[];
  /** Texts of a project that it follows. */
  readonly instructions: readonly string[];
}

const editors = ["Code", "Code - Insiders", "VSCodium", "Cursor"];

/**
 * The places on a system that a row of the table means. It begins with a folder: `~` the user's, `.` the project's, `config` XDG's,
 * which some programs have on every system, `support` the system's own (Application Support, AppData\Roaming, or XDG's), `local`
 * AppData\Local, `editors` that of every editor that is VS Code or is made of it, `$NAME` the one that a variable names. `windows:`,
 * `mac:`, `unix:` (not Windows) and `linux:` (neither) before it mean that it is there alone.
 */
export function placesAt(row: string, { platform, home, env, cwd }: System): readonly ClientPlace[] {
  const isWindows = platform === "win32";
  const isMac = platform === "darwin";
  const path = isWindows ? win32 : posix;
  const absolute = (folder: string | undefined) => (folder && path.isAbsolute(folder) ? folder : undefined);
  const [, only, template = row] = /^(windows|mac|unix|linux): (.*)$/.exec(row) ?? [];
  const isHere = { windows: isWindows, mac: isMac, unix: !isWindows, linux: !isWindows && !isMac };
  if (only !== undefined && !Object.entries(isHere).some(([name, here]) => here && name === only)) return [];
  if (absolute(template)) return [{ path: template, scope: "user" }];
  // XDG: a relative path is invalid and is ignored.
  const config = absolute(env["XDG_CONFIG_HOME"]) ?? path.join(home, ".config");
  const roaming = env["APPDATA"] || path.join(home, "AppData", "Roaming");
  const support = isWindows ? roaming : isMac ? path.join(home, "Library", "Application Support") : config;
  const [base = "", ...parts] = template.split("/");
  const folders: Readonly<Record<string, readonly string[]>> = {
    "~": [home],
    ".": [cwd],
    config: [config],
    support: [support],
    local: isWindows ? [env["LOCALAPPDATA"] || path.join(home, "AppData", "Local")] : [],
    editors: editors.map((editor) => path.join(support, editor, "User")),
  };
  const found = base.startsWith("$") ? [absolute(env[base.slice(1)]) ?? []].flat() : (folders[base] ?? []);
  return found.map((folder) => ({ path: path.join(folder, ...parts), scope: base === "." ? "project" : "user" }));
}
