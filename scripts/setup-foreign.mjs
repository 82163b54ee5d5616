// Installs the third-party programs that the tests run, into test/foreign: npm packages, and Python's MCP client in a virtual
// environment. What is there already, from the same lists, stays. No script of a package is run. Builds the tests' container image
// meanwhile, where that can be.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../test/foreign", import.meta.url));
const containerImage = fileURLToPath(new URL("container-image.mjs", import.meta.url));

await Promise.all([
  buildImage(),
  install("node_modules", "package-lock.json", () =>
    run(
      "npm",
      ["ci", "--prefix", folder, "--ignore-scripts"],
      ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"],
    ),
  ),
  install(".venv", "requirements.txt", async (place, list) => {
    rmSync(place, { recursive: true, force: true });
    await run("python3", ["-m", "venv", place]);
    await run(
      join(place, "bin", "python"),
      ["-m", "pip", "install", "-r", list],
      ["--no-compile", "--disable-pip-version-check", "--quiet"],
    );
  }),
]);

async function buildImage() {
  const { stdout } = spawnSync(process.execPath, [containerImage, "--absence"], { encoding: "utf8" });
  if (stdout.trim() === "") await run(process.execPath, [containerImage]);
  else console.error(`Tests of the engine container will be skipped: ${stdout.trim()}`);
}

/** Fills a place from a list, unless its last installation was of the same list. */
async function install(name, listName, fill) {
  const place = join(folder, name);
  const mark = join(place, ".installed-from");
  const list = join(folder, listName);
  const wanted = readFileSync(list, "utf8");
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return;
  console.error(`Installing test/foreign/${name}`);
  await fill(place, list);
  writeFileSync(mark, wanted);
}

function run(command, args, options = []) {
  return new Promise((resolve) => {
    const child = spawn(command, [...args, ...options], { stdio: ["ignore", "ignore", "inherit"] });
    child.once("error", (error) => fail(error.message));
    child.once("close", (status) => (status === 0 ? resolve() : fail(`exit code ${status}`)));
    function fail(why) {
      console.error(`${[command, ...args].join(" ")} failed: ${why}. Run it by hand, then try again.`);
      process.exit(1);
    }
  });
}
