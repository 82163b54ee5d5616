import type { ProcessEnv } from "./home.ts";
import type { StdioServer } from "./server.ts";

const posixNames = [
  ...["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"],
  ...["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"],
];

const windowsNames = [
  ...["APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE"],
  ...["PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE"],
];

/** What a child server gets: what any program needs, and its own settings. Nothing else of our environment, so none of its secrets. */
export function serverEnv(
  server: StdioServer,
  env: ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  return { ...programEnv([], env, platform), ...server.env };
}

/** What any program needs of the environment, and the variables of these names. */
export function programEnv(
  more: readonly string[] = [],
  env: ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const names = [...(platform === "win32" ? windowsNames : posixNames), ...more];
  // Bash exports functions as values that start with "()"; to pass one on is to run its text in the child's shells.
  const set = names.flatMap((name) =>
    env[name] === undefined || env[name]?.startsWith("()") ? [] : [[name, env[name]]],
  );
  return Object.fromEntries(set);
}
