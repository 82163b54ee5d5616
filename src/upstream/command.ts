import { accessSync, constants, statSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import type { StdioServer } from "../config/server.ts";
import { UpstreamError } from "./upstream-error.ts";

const windows = process.platform === "win32";
const endings = windows ? [".exe", ".cmd", ".bat", ".com", ""] : [""];

const comesWith = new Map([
  ["bun", "Bun"],
  ["bunx", "Bun"],
  ["deno", "Deno"],
  ["dnx", "the .NET SDK"],
  ["docker", "Docker"],
  ["go", "Go"],
  ["java", "Java"],
  ["node", "Node.js"],
  ["npm", "Node.js"],
  ["npx", "Node.js"],
  ["pipx", "pipx"],
  ["pnpm", "pnpm"],
  ["podman", "Podman"],
  ["python", "Python"],
  ["python3", "Python"],
  ["uv", "uv"],
  ["uvx", "uv"],
]);

/** The file that the server's command means, looked for in the folders unless the command is itself a path. */
export function findCommand(server: StdioServer, folders: readonly string[]): string {
  const { command } = server;
  const found = lookUp(server, command, folders);
  if (found !== undefined) return found;
  const [firstWord = command, ...rest] = command.trim().split(/\s+/);
  let hint: string;
  if (rest.length > 0 && lookUp(server, firstWord, folders) !== undefined) {
    hint = `A command is one program. Write "command": ${JSON.stringify(firstWord)} and put the rest into "args".`;
  } else if (isPath(command)) {
    const path = resolve(server.cwd ?? ".", command);
    hint = isFile(path) ? `${path} is not executable: chmod +x it.` : `There is no file ${path}.`;
  } else {
    const program = comesWith.get(command);
    const remedy = program === undefined ? "Install it" : `Install ${program}, which brings ${command}`;
    hint = `${remedy}, or write the full path as "command". It was looked for in: ${folders.join(", ")}`;
  }
  throw cannotStart(server, `command not found: ${command}`, hint);
}

export function cannotStart(server: StdioServer, why: string, hint?: string): UpstreamError {
  return new UpstreamError("server_start_failed", `Cannot start upstream ${JSON.stringify(server.name)}: ${why}`, {
    server: server.name,
    delivery: "not_sent",
    hint,
  });
}

function lookUp(server: StdioServer, command: string, folders: readonly string[]): string | undefined {
  const places = isPath(command)
    ? [resolve(server.cwd ?? ".", command)]
    : folders.map((folder) => join(folder, command));
  return places.flatMap((place) => endings.map((ending) => place + ending)).find(isExecutable);
}

function isPath(command: string): boolean {
  return command.includes("/") || (windows && command.includes("\\"));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isExecutable(path: string): boolean {
  if (!isFile(path)) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // The one way to ask whether we may run it.
    return false;
  }
}

/** The environment with the command's own folder on its path: npx, for one, looks for its node there. */
export function withCommandFolder(env: Readonly<Record<string, string>>, command: string): Record<string, string> {
  const name = Object.keys(env).find((key) => (windows ? key.toUpperCase() === "PATH" : key === "PATH")) ?? "PATH";
  const folders = (env[name] ?? "").split(delimiter).filter((folder) => folder !== "");
  const own = dirname(command);
  return folders.includes(own) ? { ...env } : { ...env, [name]: [...folders, own].join(delimiter) };
}
