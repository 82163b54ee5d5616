import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { matchesGlob } from "../catalog/glob.ts";
import { condaRoots } from "../config/conda-roots.ts";
import type { Packages } from "../config/schema.ts";
import { CoordinatorError } from "../errors.ts";
import type { Language } from "../sandbox/engine.ts";
import { createFileLock } from "../system/file-lock.ts";
import { nearest } from "../system/nearest.ts";
import { type EnvironmentRecord, readEnvironment, writeEnvironment } from "./environment-file.ts";
import { checkEnvironmentName } from "./environment-name.ts";
import type { Installer, InstallOptions } from "./installer.ts";
import { refuseOwnFolders } from "./own-folder.ts";
import { condaFolders, interpreterIn } from "./python/base-interpreter.ts";
import type { InstalledPackage } from "./python/installed.ts";
import { readRequirement } from "./python/requirement.ts";
import { changeVariables } from "./variables.ts";

/** A named environment, and where the packages of each language are. */
export interface Environment extends Omit<EnvironmentRecord, "layers"> {
  readonly name: string;
  readonly layers: Readonly<Partial<Record<Language, string>>>;
}

/** What an environment is to stand on. */
export interface EnvironmentSettings {
  readonly type: EnvironmentRecord["type"];
  /** A virtual environment of the user's. */
  readonly path?: string | undefined;
  readonly condaName?: string | undefined;
  /** Whether a model has chosen it, with the user's consent. */
  readonly isModels?: boolean | undefined;
}

interface Installation {
  readonly environment: string;
  readonly language: Language;
  readonly type: EnvironmentRecord["type"];
  /** What is new, or has another version than before. */
  readonly installed: readonly InstalledPackage[];
}

/** Named environments: packages of both languages and variables, kept from run to run. */
export interface Environments {
  list(): Promise<readonly Environment[]>;
  /** Throws environment_unknown. */
  get(name: string): Promise<Environment>;
  find(name: string): Promise<Environment | undefined>;
  /** The folder that these settings mean, if they mean one of the user's. Throws when it cannot be stood on. */
  placeOf(settings: EnvironmentSettings): Promise<string | undefined>;
  /** Makes an environment, or changes what it stands on while nothing is installed. */
  configure(name: string, settings: EnvironmentSettings): Promise<{ previous?: Environment; current: Environment }>;
  /** Installs packages, all or none; the environment is made if need be. */
  install(
    name: string,
    language: Language,
    requirements: readonly string[],
    options?: InstallOptions,
  ): Promise<Installation>;
  packages(name: string, language: Language): Promise<readonly InstalledPackage[]>;
  /** Sets variables that guests see; an empty value removes one. The environment is made if need be. */
  setVariables(name: string, variables: Readonly<Record<string, string>>): Promise<Environment>;
  /** Removes it with all that is in it; an environment of the user's that it stands on stays. */
  remove(name: string): Promise<void>;
}

export interface EnvironmentsOptions {
  readonly folder: string;
  readonly settings: Packages;
  readonly installers: Readonly<Partial<Record<Language, Installer>>>;
  /** In which nothing may be that an environment stands on or comes from: code can write there. */
  readonly ownFolders: readonly string[];
}

export function createEnvironments({
  folder: root,
  settings,
  installers,
  ownFolders,
}: EnvironmentsOptions): Environments {
  const withLock = createFileLock(join(root, ".locks"));
  const folderOf = (name: string): string => join(root, checkEnvironmentName(name));
  const find = async (name: string): Promise<Environment | undefined> => {
    const record = await readEnvironment(folderOf(name));
    return record && withFolders(name, folderOf(name), record);
  };
  const list = async (): Promise<Environment[]> => {
    const names = await readdir(root).catch(() => [] as string[]);
    const found = await Promise.all(names.filter((name) => /^[a-z0-9]/.test(name)).map(find));
    return found.flatMap((environment) => environment ?? []);
  };
  const get = async (name: string): Promise<Environment> => {
    const environment = await find(name);
    if (environment) return environment;
    const names = (await list()).map((known) => known.name);
    const close = nearest(name, names);
    const known = names.length > 0 ? `There are: ${names.join(", ")}.` : "There are none.";
    throw new CoordinatorError("environment_unknown", `There is no environment "${name}"`, {
      hint: `${close ? `Did you mean "${close}"? ` : ""}${known} \`env create\` or configure_environment makes one.`,
    });
  };
  const locked = <T>(name: string, options: InstallOptions, work: (folder: string) => Promise<T>): Promise<T> => {
    const folder = folderOf(name);
    const onWait = () => options.onProgress?.(`Waiting for another change of the environment "${name}"`);
    const patienceMs = settings.timeoutSeconds * 1000;
    const busy = () =>
      new CoordinatorError("install_failed", `Another change of the environment "${name}" takes very long`, {
        hint: "Nothing was changed. Try again when it has ended.",
      });
    return withLock(name, { patienceMs, busy, signal: options.signal, onWait }, async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return work(folder);
    });
  };
  const placeOf = async (wanted: EnvironmentSettings): Promise<string | undefined> => {
    const path = wanted.condaName === undefined ? wanted.path : await condaFolder(wanted);
    if (path === undefined) return undefined;
    for (const each of [path, interpreterIn(path, wanted.type)]) refuseOwnFolders(each, ownFolders);
    return path;
  };
  const installerOf = (language: Language): Installer => {
    const installer = installers[language];
    if (installer) return installer;
    throw new CoordinatorError("input_invalid", `Packages of ${language} cannot be installed in this version`);
  };

  return {
    list,
    get,
    find,
    placeOf,
    configure: (name, wanted) =>
      locked(name, {}, async (folder) => {
        const before = await readEnvironment(folder);
        const path = await placeOf(wanted);
        const isSame = before?.type === wanted.type && before.path === path;
        if (before?.layers.python !== undefined && !isSame) throw inUse(name);
        const { python: _old, path: _path, isModels: _models, ...kept } = before ?? { layers: {}, variables: {} };
        const chosen = path !== undefined && { path, ...(wanted.isModels && { isModels: true as const }) };
        const base = { ...kept, type: wanted.type, ...chosen };
        // What a model has chosen before becomes the user's when the user chooses it.
        const same =
          isSame && before.python ? { ...before, ...(!wanted.isModels && { isModels: undefined }) } : undefined;
        const record = same ?? (await installerOf("python").prepare(base));
        await writeEnvironment(folder, record);
        const previous = before && withFolders(name, folder, before);
        return { ...(previous && { previous }), current: withFolders(name, folder, record) };
      }),
    async install(name, language, requirements, options = {}) {
      const installer = installerOf(language);
      checkPolicy(requirements, installer, settings);
      for (const path of pathsIn(requirements, settings)) refuseOwnFolders(path, ownFolders);
      return locked(name, options, async (folder) => {
        const before = (await readEnvironment(folder)) ?? { type: "venv", layers: {}, variables: {} };
        const needsBase = language === "python" && before.python === undefined;
        const record = needsBase ? await installer.prepare(before) : before;
        const number = record.layers[language];
        await sweepLayers(folder, language, number);
        const previous = number === undefined ? undefined : layerOf(folder, language, number);
        const next = (number ?? 0) + 1;
        const fresh = layerOf(folder, language, next);
        try {
          await mkdir(fresh, { recursive: true, mode: 0o700 });
          await installer.install({ fresh, previous }, requirements, record, options);
          const installed = await changes(installer, record, previous, fresh);
          checkDenied(installed, installer, settings);
          // From here on it counts: one rename.
          await writeEnvironment(folder, { ...record, layers: { ...record.layers, [language]: next } });
          return { environment: name, language, type: record.type, installed };
        } catch (thrown) {
          await rm(fresh, { recursive: true, force: true });
          throw thrown;
        }
      });
    },
    async packages(name, language) {
      const environment = await get(name);
      return installerOf(language).list(environment.layers[language], { ...environment, layers: {} });
    },
    setVariables: (name, variables) =>
      locked(name, {}, async (folder) => {
        const before = (await readEnvironment(folder)) ?? { type: "venv", layers: {}, variables: {} };
        const record = { ...before, variables: changeVariables(before.variables, variables) };
        await writeEnvironment(folder, record);
        return withFolders(name, folder, record);
      }),
    async remove(name) {
      await get(name);
      await locked(name, {}, async (folder) => {
        // First what makes it one: a removal that is broken off leaves no half environment.
        await rm(join(folder, "environment.json"), { force: true });
        await rm(folder, { recursive: true, force: true });
      });
    },
  };
}

function withFolders(name: string, folder: string, record: EnvironmentRecord): Environment {
  const { python, typescript } = record.layers;
  return {
    ...record,
    name,
    layers: {
      ...(python !== undefined && { python: layerOf(folder, "python", python) }),
      ...(typescript !== undefined && { typescript: layerOf(folder, "typescript", typescript) }),
    },
  };
}

function layerOf(folder: string, language: Language, number: number): string {
  return join(folder, `${language}-${number}`);
}

/** Removes what broken installations left, and layers before the last one; guests that still use that one keep it. */
async function sweepLayers(folder: string, language: Language, current: number | undefined): Promise<void> {
  for (const entry of await readdir(folder)) {
    const [, of, digits] = /^(python|typescript)-(\d+)$/.exec(entry) ?? [];
    if (of === language && Number(digits) !== current) await rm(join(folder, entry), { recursive: true, force: true });
  }
}

async function changes(
  installer: Installer,
  record: EnvironmentRecord,
  previous: string | undefined,
  fresh: string,
): Promise<InstalledPackage[]> {
  const before = previous === undefined ? [] : await installer.list(previous, { ...record, path: undefined });
  const known = new Set(before.map(({ name, version }) => `${name} ${version}`));
  const after = await installer.list(fresh, { ...record, path: undefined });
  return after.filter(({ name, version }) => !known.has(`${name} ${version}`));
}

/** What is asked for by name must be allowed, and be a package at all. Throws package_refused with every problem. */
function checkPolicy(requirements: readonly string[], installer: Installer, { allow, deny }: Packages): void {
  if (requirements.length === 0) throw new CoordinatorError("input_invalid", "No packages were named");
  const problems = requirements.flatMap((requirement) => {
    const read = installer.read(requirement);
    const shown = JSON.stringify(requirement.slice(0, 80));
    if (typeof read === "string") return [`${shown} ${read}`];
    const name = read.name ?? "";
    const matches = (pattern: string) => matchesGlob(name, pattern.toLowerCase());
    if (deny.some(matches)) return [`${shown} is denied by coordinator.packages.deny`];
    return allow.some(matches) ? [] : [`${shown} is not among coordinator.packages.allow`];
  });
  if (problems.length > 0) throw refused(problems);
}

/** The files among what is to be installed. */
export function pathsIn(requirements: readonly string[], { sources }: Pick<Packages, "sources">): string[] {
  return requirements.flatMap((requirement) => {
    const read = readRequirement(requirement, sources);
    return typeof read === "string" || read.path === undefined ? [] : [read.path];
  });
}

/** What came along with it is denied too; to allow it one by one would be no help. */
function checkDenied(installed: readonly InstalledPackage[], installer: Installer, { deny }: Packages): void {
  const nameOf = (name: string): string => {
    const read = installer.read(name);
    return (typeof read === "string" ? undefined : read.name) ?? name.toLowerCase();
  };
  const problems = installed
    .filter(({ name }) => deny.some((pattern) => matchesGlob(nameOf(name), pattern.toLowerCase())))
    .map(({ name }) => `"${name}", which is needed, is denied by coordinator.packages.deny`);
  if (problems.length > 0) throw refused(problems);
}

function refused(problems: readonly string[]): CoordinatorError {
  return new CoordinatorError("package_refused", `Cannot install: ${problems.join("; ")}`, {
    hint: "Nothing was installed.",
  });
}

function inUse(name: string): CoordinatorError {
  return new CoordinatorError("input_invalid", `The environment "${name}" has packages for what it stands on now`, {
    hint: "Remove it first (remove_environment), or take another name. Nothing was changed.",
  });
}

async function condaFolder({ type, condaName = "" }: EnvironmentSettings): Promise<string> {
  const folders = condaFolders(condaName, condaRoots());
  for (const folder of folders) {
    const isThere = await stat(interpreterIn(folder, type)).catch(() => undefined);
    if (isThere) return folder;
  }
  throw new CoordinatorError("environment_unusable", `No conda environment ${JSON.stringify(condaName)} was found`, {
    hint: `Create it (${type} create -n ${/^[\w.-]+$/.test(condaName) ? condaName : "NAME"} python), or give its folder. Looked in: ${folders.join(", ") || "nothing, the name is none"}.`,
  });
}
