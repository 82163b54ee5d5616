import { constants } from "node:fs";
import { cp, lstat, mkdir, readdir, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { PackageSettings } from "../../config/schema.ts";
import { CoordinatorError, messageOf } from "../../errors.ts";
import { sharedLibraries, workingSandboxTools } from "../../sandbox/bubblewrap.ts";
import { placeAt } from "../../sandbox/confined/index-proxy.ts";
import { askPip, findPip, type PipIndex } from "../../sandbox/confined/pip-index.ts";
import { type ConfinedCommand, runConfined } from "../../sandbox/confined/run-confined.ts";
import { describeInterpreter, type Interpreter, minorOf } from "../../sandbox/cpython/interpreter.ts";
import type { FindProgram } from "../../sandbox/engine.ts";
import type { EnvironmentRecord } from "../environment-file.ts";
import { furtherHosts } from "../further-hosts.ts";
import { installFailed } from "../install-failed.ts";
import type { Installer, InstallOptions, Layers } from "../installer.ts";
import { interpreterIn } from "./base-interpreter.ts";
import { installedPackages } from "./installed.ts";
import { type Requirement, readRequirement } from "./requirement.ts";

export interface PythonInstallerOptions {
  readonly settings: PackageSettings;
  readonly findProgram: FindProgram;
}

/** Where an environment is, seen by its installer. */
const inside = "/environment";
/** Settings of the installer. A part of the fresh folder, and goes with it. */
const settingsFolder = "settings";

/** Installs Python packages with pip or uv, for the interpreter that an environment is based on. */
export function createPythonInstaller(options: PythonInstallerOptions): Installer {
  const { settings, findProgram } = options;
  return {
    read: (requirement) => readRequirement(requirement, settings.sources),
    async prepare(environment) {
      const program = environment.path ? interpreterIn(environment.path, environment.type) : findProgram("python3");
      if (!program) {
        throw new CoordinatorError(
          "environment_unusable",
          "python3 is not installed, and environments are based on it",
          {
            hint: "Install Python 3.9 or newer, or name a virtual environment that you have (venv_path).",
          },
        );
      }
      if (environment.type === "uv") programOf("uv", findProgram);
      const { executable, version } = await describe(program, environment, findProgram);
      return { ...environment, python: { program: environment.path ? program : executable, version } };
    },
    async install(layers, requirements, environment, runOptions) {
      const interpreter = await interpreterOf(environment, findProgram);
      const read = requirements.map((text) => readRequirement(text, settings.sources) as Requirement);
      const site = join("lib", `python${minorOf(interpreter.version)}`, "site-packages");
      await prepareFolder(layers, site, interpreter, environment);
      const pip = await findPip(interpreter);
      const index = await askPip(interpreter.executable, pip, programOf("bwrap", findProgram));
      const parts = { layers, read, environment, interpreter, pip, index, runOptions, ...options };
      const end = await runConfined(await commandOf(parts));
      if (end.exitCode !== 0) throw installFailed(requirements, end, settings);
      await keepOnly(layers.fresh, site);
    },
    async list(layer, environment) {
      const own = layer === undefined ? [] : [await packageFolder(layer)];
      if (environment.path === undefined) return installedPackages(own);
      return installedPackages([...own, ...(await interpreterOf(environment, findProgram)).packageFolders]);
    },
  };
}

/** The folder of a layer that guests import from. */
export async function packageFolder(layer: string): Promise<string> {
  const [version = ""] = await readdir(join(layer, "lib"));
  return join(layer, "lib", version, "site-packages");
}

/** The interpreter that an environment was made for, if that is still there and still the same. */
export async function checkInterpreter({ python }: Pick<EnvironmentRecord, "python">): Promise<string> {
  if (!python) throw new TypeError("the environment has no interpreter yet");
  const isThere = await stat(python.program).then(
    (found) => found.isFile(),
    () => false,
  );
  if (isThere) return python.program;
  throw new CoordinatorError(
    "environment_unusable",
    `The environment was made for Python ${python.version} at ${python.program}, which is gone`,
    { hint: "Install that Python again, or remove the environment (`env rm`) and install its packages again." },
  );
}

async function interpreterOf(environment: EnvironmentRecord, findProgram: FindProgram): Promise<Interpreter> {
  const program = await checkInterpreter(environment);
  const interpreter = await describe(program, environment, findProgram);
  const made = environment.python?.version ?? "";
  if (minorOf(interpreter.version) === minorOf(made)) return interpreter;
  throw new CoordinatorError(
    "environment_unusable",
    `The environment was made for Python ${made}, and ${program} is Python ${interpreter.version} now`,
    { hint: "Remove the environment (`env rm`) and install its packages again." },
  );
}

/** Nothing of an interpreter that somebody names runs outside a sandbox; without one it cannot be used. */
async function describe(
  program: string,
  { path, isModels }: EnvironmentRecord,
  findProgram: FindProgram,
): Promise<Interpreter> {
  const refuse = (why: string, cause?: unknown) =>
    new CoordinatorError("environment_unusable", `${program} cannot be used as the Python of an environment: ${why}`, {
      hint: "Nothing was changed. It must be there and be Python 3.9 or newer; `env create` can name another one.",
      cause,
    });
  const tools = await workingSandboxTools(findProgram);
  if (typeof tools === "string") throw refuse(`there is no sandbox to ask it in: ${tools}`);
  const { bubblewrap } = tools;
  try {
    // Scripts that pick an interpreter are on the PATH, not in an environment.
    return await describeInterpreter(program, { bubblewrap, mayBeScript: path === undefined, followsLinks: !isModels });
  } catch (cause) {
    throw refuse(messageOf(cause), cause);
  }
}

/** A virtual environment that only exists inside the sandbox, with the packages that were there before. */
async function prepareFolder(
  { fresh, previous }: Layers,
  site: string,
  interpreter: Interpreter,
  environment: EnvironmentRecord,
): Promise<void> {
  for (const folder of ["bin", "tmp", "home", settingsFolder, site])
    await mkdir(join(fresh, folder), { recursive: true, mode: 0o755 });
  if (previous !== undefined) {
    // What packages left there may be links to anywhere: they are copied as links, which lead nowhere inside.
    const options = { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE } as const;
    await cp(await packageFolder(previous), join(fresh, site), options);
  }
  await symlink(interpreter.program, join(fresh, "bin", "python"));
  const settings = [
    `home = ${dirname(interpreter.program)}`,
    "include-system-site-packages = false",
    `version = ${interpreter.version}`,
  ];
  await writeFile(join(fresh, "pyvenv.cfg"), `${settings.join("\n")}\n`, { mode: 0o644 });
  if (environment.path === undefined) return;
  // The user's own packages count as installed, and are not installed again.
  const base = join(fresh, site, baseFile);
  await rm(base, { force: true });
  await writeFile(base, `${interpreter.packages.join("\n")}\n`, { mode: 0o644 });
}

const baseFile = "mcp-coordinator-base.pth";

/** Removes all but the packages, and makes sure that they are where they should be: code of theirs has run in there. */
async function keepOnly(fresh: string, site: string): Promise<void> {
  for (const name of await readdir(fresh)) {
    if (name !== "lib") await rm(join(fresh, name), { recursive: true, force: true });
  }
  await rm(join(fresh, site, baseFile), { force: true });
  const isInPlace = (await realpath(join(fresh, site))) === join(await realpath(fresh), site);
  const versions = await readdir(join(fresh, "lib"));
  if (isInPlace && versions.length === 1 && (await lstat(join(fresh, site))).isDirectory()) return;
  throw new CoordinatorError("install_failed", "A package moved the folder that it was installed into", {
    hint: "Nothing was changed. Do not install it: no package has a reason to do that.",
  });
}

interface CommandParts extends PythonInstallerOptions {
  readonly layers: Layers;
  readonly read: readonly Requirement[];
  readonly environment: EnvironmentRecord;
  readonly interpreter: Interpreter;
  readonly pip: string;
  readonly index: PipIndex;
  readonly runOptions: InstallOptions;
}

async function commandOf(parts: CommandParts): Promise<ConfinedCommand> {
  const { layers, read, environment, interpreter, pip, index, runOptions, settings, findProgram } = parts;
  const folder = join(layers.fresh, settingsFolder);
  const tool = environment.type === "uv" ? await uvTool(index, folder, findProgram) : await pipTool(index, folder, pip);
  const files = read.flatMap(({ path }) => (path === undefined ? [] : [path]));
  const places = new Map(files.map((path, at) => [path, `/sources/${at}/${basename(path)}`]));
  const packages = read.map(({ text, path }) => (path === undefined ? text : (places.get(path) ?? text)));
  return {
    command: [...tool.command, "--", ...packages],
    readable: new Map([
      ...interpreter.readable,
      ...tool.readable,
      ...[...places].map(([path, place]) => [place, path] as const),
    ]),
    writable: { inside, outside: layers.fresh },
    env: new Map([
      ["LD_LIBRARY_PATH", interpreter.libraryPath],
      ["HOME", `${inside}/home`],
      ["TMPDIR", `${inside}/tmp`],
      ["PATH", `${inside}/bin`],
      ["NO_COLOR", "1"],
      ["LANG", "C.UTF-8"],
      ...tool.env,
    ]),
    reachable: [
      ...index.reachable,
      ...furtherHosts(settings.hosts),
      ...read.flatMap(({ url }) => (url ? [placeAt(url, false)] : [])),
    ],
    timeoutSeconds: settings.timeoutSeconds,
    maxMb: settings.maxMb,
    findProgram,
    signal: runOptions.signal,
    onOutput: runOptions.onProgress,
  };
}

interface Tool {
  readonly command: readonly string[];
  readonly readable: ReadonlyMap<string, string>;
  readonly env: ReadonlyMap<string, string>;
}

async function pipTool(index: PipIndex, folder: string, pip: string): Promise<Tool> {
  const isWheel = pip.endsWith(".whl");
  const place = isWheel ? "/pip.whl/pip" : "/pip/pip";
  const extra = index.extra.length > 0 ? `extra-index-url =\n${index.extra.map((url) => `  ${url}\n`).join("")}` : "";
  // Without encryption is as far as our proxy; who speaks for the index is judged there.
  const trusted = index.reachable.flatMap(({ host, port, login }) => (login ? [`  ${host}:${port}\n`] : []));
  const trust = trusted.length > 0 ? `trusted-host =\n${trusted.join("")}` : "";
  const text = `[global]\nindex-url = ${index.url}\n${extra}${trust}`;
  await writeFile(join(folder, "pip.conf"), text, { mode: 0o600 });
  const quiet = ["--no-input", "--disable-pip-version-check", "--no-cache-dir", "--progress-bar", "off"];
  return {
    command: [`${inside}/bin/python`, "-I", "-B", place, "install", "--prefer-binary", "--no-compile", ...quiet],
    readable: new Map([isWheel ? ["/pip.whl", pip] : ["/pip/pip", join(pip, "pip")]]),
    env: new Map([["PIP_CONFIG_FILE", `${inside}/${settingsFolder}/pip.conf`]]),
  };
}

async function uvTool(index: PipIndex, folder: string, findProgram: FindProgram): Promise<Tool> {
  const uv = programOf("uv", findProgram);
  const libraries = await sharedLibraries(uv).catch(() => []); // a static build has none
  const lines = [`index-url = ${JSON.stringify(index.url)}`, `extra-index-url = ${JSON.stringify(index.extra)}`];
  await writeFile(join(folder, "uv.toml"), `${lines.join("\n")}\n`, { mode: 0o600 });
  const quiet = ["--no-progress", "--no-python-downloads", "--link-mode", "copy"];
  return {
    command: ["/uv", "pip", "install", "--python", `${inside}/bin/python`, ...quiet],
    readable: new Map([...libraries, ["/uv", uv]]),
    env: new Map([
      ["UV_CONFIG_FILE", `${inside}/${settingsFolder}/uv.toml`],
      ["UV_CACHE_DIR", `${inside}/tmp/uv`],
    ]),
  };
}

function programOf(name: string, findProgram: FindProgram): string {
  const program = findProgram(name);
  if (program) return program;
  throw new CoordinatorError("environment_unusable", `${name} is not installed, and the environment needs it`, {
    hint: `Install ${name}, or configure the environment with type "venv", which needs nothing else.`,
  });
}
