import type { Environment } from "./home.ts";
import type { StdioServer } from "./server.ts";

const posixNames = [
  ...["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"],
  ...["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"],
];

const windowsNames = [
  ...["APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE"],
  ...["PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE"],
];

/** What a child server gets: what any program needs, and its own settings. Nothing else of ours, so no secret of ours. */
export function serverEnvironment(
  server: StdioServer,
  env: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const child = new Map<string, string>();
  for (const name of platform === "win32" ? windowsNames : posixNames) {
    const value = env[name];
    // Bash exports functions as values that start with "()"; to pass one on is to run its text in the child's shells.
    if (value !== undefined && !value.startsWith("()")) child.set(name, value);
  }
  for (const [name, value] of Object.entries(server.env)) child.set(name, value);
  return Object.fromEntries(child);
}
