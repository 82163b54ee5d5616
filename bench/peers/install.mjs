// Puts a peer's packages into a folder of its own below node_modules/.cache, once, in the versions that are asked for.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const cache = join(here, "../../node_modules/.cache/peers");

/** A Node that all peers run on: isolated-vm is not made for older ones. */
export function installNode() {
  const name = `node-linux-${process.arch}`;
  const folder = installNpm("node", [`${name}@24.21.0`], process.execPath);
  return join(folder, "node_modules", name, "bin", "node");
}

/** The folder in which these packages can be imported. */
export function installNpm(name, packages, node) {
  const path = dirname(node) + delimiter + process.env.PATH;
  const quiet = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"];
  return once(name, packages, (folder) => run("npm", ["install", ...quiet, "--prefix", folder, ...packages], path));
}

/** The Python that can import these packages. */
export function installPython(name, packages) {
  const python = (folder) => join(folder, "bin", "python");
  const folder = once(name, packages, (fresh) => {
    run("python3", ["-m", "venv", fresh]);
    run(python(fresh), ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages]);
  });
  return python(folder);
}

/** A program of this folder, put where it finds the packages. */
export function placeProgram(name, folder) {
  const place = join(folder, "peers", name);
  mkdirSync(dirname(place), { recursive: true });
  copyFileSync(join(here, name), place);
  copyFileSync(join(here, "../serve-by-hand.mjs"), join(folder, "serve-by-hand.mjs"));
  return place;
}

function once(name, packages, install) {
  const folder = join(cache, [name, ...packages].join("-").replaceAll(/[^\w.-]+/g, "-"));
  const mark = join(folder, "installed");
  if (existsSync(mark)) return folder;
  console.error(`installing ${packages.join(" ")} …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  install(folder);
  writeFileSync(mark, "");
  return folder;
}

function run(command, args, path = process.env.PATH) {
  const options = { encoding: "utf8", env: { ...process.env, PATH: path }, timeout: 300_000 };
  const { status, error, stderr } = spawnSync(command, args, options);
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? beginningOf(stderr)}`);
}

/** The lines that say what is wrong; which registry was asked is nobody's business. */
function beginningOf(stderr) {
  return stderr
    .trim()
    .split("\n")
    .slice(0, 2)
    .join(" ")
    .replaceAll(/https?:\S+/g, "…")
    .slice(0, 200);
}
