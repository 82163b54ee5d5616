import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const inputs = ["src", "scripts/build.mjs", "scripts/build", "package.json", "package-lock.json"];
/** What the build writes last: an interrupted one has not written it. */
const output = "dist/guest/pyodide.snapshot";

/** The file of the build's inputs that is newer than the build, or the output that is missing; undefined when dist/ is of today's code. */
export function staleness(folder: string): string | undefined {
  const built = join(folder, output);
  if (!existsSync(built)) return `${output} is missing`;
  const builtAt = statSync(built).mtimeMs;
  const newer = inputs.flatMap((name) => filesOf(folder, name)).find((file) => changedAt(folder, file) > builtAt);
  return newer && `${newer} is newer than dist/`;
}

function filesOf(folder: string, name: string): string[] {
  if (!statSync(join(folder, name)).isDirectory()) return [name];
  return readdirSync(join(folder, name), { recursive: true, encoding: "utf8" })
    .filter((file) => !file.endsWith(".test.ts") && !file.includes("__pycache__"))
    .map((file) => join(name, file));
}

/** A folder's time counts too: it tells of a file that was removed, or moved here with its old time. */
function changedAt(folder: string, file: string): number {
  return statSync(join(folder, file)).mtimeMs;
}

/** Builds when dist/ is older than what it is built of: tests that run dist/ then test today's code. */
export default function buildWhenStale(): void {
  const why = staleness(root);
  if (why === undefined) return;
  console.error(`Building: ${why}`);
  execFileSync(process.execPath, [join(root, "scripts/build.mjs")], { stdio: "inherit" });
}
