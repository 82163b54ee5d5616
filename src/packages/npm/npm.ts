import { existsSync, realpathSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type NpmSettings, npmSettings } from "../../config/npm-settings.ts";
import type { PackageSettings } from "../../config/schema.ts";
import { CoordinatorError } from "../../errors.ts";
import { placeAt } from "../../sandbox/confined/index-proxy.ts";
import { type ConfinedCommand, type ConfinedEnd, runConfined } from "../../sandbox/confined/run-confined.ts";
import type { FindProgram } from "../../sandbox/engine.ts";
import { furtherHosts } from "../further-hosts.ts";
import type { InstallOptions } from "../installer.ts";

type Reachable = ConfinedCommand["reachable"];

/** The user's own npm, in a sandbox where it sees one folder, its own settings and its registry. */
export interface Npm {
  /** Installs by name into the folder, which gets a package.json with exact versions and a lock. Runs no code of packages. */
  install(folder: string, requirements: readonly string[], options: InstallOptions): Promise<ConfinedEnd>;
}

/** Inside the folder that is installed into, so that it counts for the size; gone afterwards. */
const scratch = ".npm-scratch";

export function createNpm(
  findProgram: FindProgram,
  packages: PackageSettings,
  settings: NpmSettings = npmSettings(),
): Npm {
  const run = (
    folder: string,
    command: readonly string[],
    view: NpmView,
    options: InstallOptions,
  ): Promise<ConfinedEnd> => {
    const { timeoutSeconds, maxMb } = packages;
    const { signal, onProgress } = options;
    let fetched = 0;
    return runConfined({
      command: ["/forward/node", "/npm/bin/npm-cli.js", ...command],
      readable: view.readable,
      writable: { inside: "/environment", outside: folder },
      env: new Map([
        ["HOME", `/environment/${scratch}`],
        ["TMPDIR", `/environment/${scratch}`],
        ["npm_config_cache", `/environment/${scratch}/cache`],
        ["npm_config_userconfig", "/settings/user"],
        ["npm_config_globalconfig", "/settings/global"],
        ...(settings.registry === undefined ? [] : [["npm_config_registry", settings.registry] as const]),
      ]),
      reachable: view.reachable,
      ...{ timeoutSeconds, maxMb, signal, findProgram },
      onOutput: (line) => {
        if (/^npm http fetch GET 200/.test(line)) onProgress?.(`npm: ${++fetched} fetched`);
      },
    });
  };
  return {
    async install(folder, requirements, options) {
      const readable = npmFiles(findProgram, settings);
      await mkdir(join(folder, scratch), { recursive: true, mode: 0o700 });
      try {
        const asked = await run(folder, ["config", "list", "--json"], { readable, reachable: [] }, options);
        if (asked.exitCode !== 0) return asked;
        const told = readConfigList(asked.output);
        if (told.cafile !== undefined && existsSync(told.cafile)) readable.set(told.cafile, told.cafile);
        const view = { readable, reachable: [...told.reachable, ...furtherHosts(packages.hosts)] };
        return await run(folder, ["install", ...flags, "--", ...requirements], view, options);
      } finally {
        await rm(join(folder, scratch), { recursive: true, force: true });
      }
    },
  };
}

interface NpmView {
  readonly readable: ReadonlyMap<string, string>;
  readonly reachable: Reachable;
}

/** Whatever the user's settings say, no script runs, nothing is optional, and all versions are written down. */
const flags = [
  ...["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--no-bin-links", "--no-global"],
  ...["--save", "--save-exact", "--package-lock", "--no-dry-run", "--omit=dev", "--omit=optional"],
  ...["--no-progress", "--loglevel=http"],
];

/** npm's own folder and its settings, by their places inside. */
function npmFiles(findProgram: FindProgram, { userFile, globalFile }: NpmSettings): Map<string, string> {
  const beside = join(dirname(dirname(process.execPath)), "lib", "node_modules", "npm", "bin", "npm-cli.js");
  const found = [beside, findProgram("npm")].find((path) => path !== undefined && existsSync(path));
  const program = found === undefined ? undefined : realpathSync(found);
  if (!program?.endsWith("npm-cli.js")) {
    throw new CoordinatorError("engine_unavailable", "npm packages cannot be installed: npm was not found", {
      hint: "Install npm, which comes with Node, in a folder on the coordinator's PATH.",
    });
  }
  const files = [["/npm", dirname(dirname(program))] as const];
  const present = [["/settings/user", userFile] as const, ["/settings/global", globalFile] as const].filter(
    ([, path]) => existsSync(path),
  );
  return new Map([...files, ...present]);
}

/** The registries of `npm config list --json`: what npm itself or the user has named, wherever it is. */
function readConfigList(output: string): { reachable: Reachable; cafile?: string } {
  const values: unknown = JSON.parse(output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1));
  const entries = Object.entries(values as Record<string, unknown>);
  const registries = entries.flatMap(([key, value]) =>
    /(^|:)registry$/.test(key) && typeof value === "string" && URL.canParse(value) ? [new URL(value)] : [],
  );
  const reachable = registries.map((url) => placeAt(url, true));
  const cafile = entries.find(([key]) => key === "cafile")?.[1];
  return { reachable, ...(typeof cafile === "string" && cafile.startsWith("/") && { cafile }) };
}
