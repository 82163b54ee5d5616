import { homedir } from "node:os";
import { posix, win32 } from "node:path";

export type ProcessEnv = Readonly<Record<string, string | undefined>>;

/** The user's own folder. */
export function userHome(env: ProcessEnv = process.env, platform: NodeJS.Platform = process.platform): string {
  return (platform === "win32" ? env["USERPROFILE"] : env["HOME"]) || homedir();
}

/** The folder of our data: the database, skills/, workspace/, artifacts/, cache/ and config.json. */
export function dataHome(env: ProcessEnv = process.env, platform: NodeJS.Platform = process.platform): string {
  const path = platform === "win32" ? win32 : posix;
  const own = env["MCP_COORDINATOR_HOME"];
  if (own) return path.resolve(own);
  const shared = env["XDG_DATA_HOME"];
  // The XDG specification: a relative path is invalid and is ignored.
  if (shared && path.isAbsolute(shared)) return path.join(shared, "mcp-coordinator");
  return path.join(usualFolder(env, platform), "mcp-coordinator");
}

function usualFolder(env: ProcessEnv, platform: NodeJS.Platform): string {
  const home = userHome(env, platform);
  if (platform === "win32") return env["LOCALAPPDATA"] || win32.join(home, "AppData", "Local");
  if (platform === "darwin") return posix.join(home, "Library", "Application Support");
  return posix.join(home, ".local", "share");
}
