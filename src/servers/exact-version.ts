import { existsSync } from "node:fs";
import { join } from "node:path";
import { commandFolders } from "../config/command-folders.ts";
import { runProgram } from "../system/run-program.ts";
import type { FloatingPackage } from "./floating-package.ts";

const timeoutMs = 15_000;
const version = /^\d[\w.+-]{0,60}$/;

/** The version that a package of npm or PyPI has now, as npm or pip tell; undefined when neither is there, or it has no answer. */
export async function exactVersion({ registry, name }: FloatingPackage): Promise<string | undefined> {
  if (registry === "container" || !/^[@a-z0-9]/i.test(name)) return undefined;
  const found = registry === "npm" ? await ask("npm", viewed(name)) : await ask("python3", indexed(name));
  const [, told] = (registry === "npm" ? /^"?([^"\s]+)"?\s*$/ : /^\S+ \(([^)]+)\)/).exec(found) ?? [];
  return told !== undefined && version.test(told) ? told : undefined;
}

function viewed(name: string): readonly string[] {
  return ["view", name, "version", "--json", "--fetch-retries=0", `--fetch-timeout=${timeoutMs - 3000}`];
}

function indexed(name: string): readonly string[] {
  return ["-m", "pip", "index", "versions", name, "--disable-pip-version-check", "--retries=0", "--timeout=10"];
}

async function ask(program: string, args: readonly string[]): Promise<string> {
  const file = commandFolders()
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));
  if (file === undefined) return "";
  // From a folder in which no project's file says whom it asks.
  const { code, stdout } = await runProgram(file, args, { cwd: "/", timeoutMs });
  return code === 0 ? stdout.trim() : "";
}
