import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { condaRoots } from "../config/conda-roots.ts";
import type { PackageSettings } from "../config/schema.ts";
import { CoordinatorError } from "../errors.ts";
import type { Language } from "../sandbox/engine.ts";
import { type EnvironmentRecord, emptyEnvironment, readEnvironment, writeEnvironment } from "./environment-file.ts";
import {
  createEnvironmentFolders,
  type Environment,
  type EnvironmentFolders,
  layerOf,
  withFolders,
} from "./environment-folders.ts";
import type { Installer, InstallOptions } from "./installer.ts";
import { refuseOwnFolders } from "./own-folder.ts";
import { checkDenied, checkPolicy } from "./package-policy.ts";
import { condaFolders, interpreterIn } from "./python/base-interpreter.ts";
import type { InstalledPackage } from "./python/installed.ts";
import { readRequirement } from "./python/requirement.ts";
import { changeVariables } from "./variables.ts";

/** What an environment is to be based on. */
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
export interface Environments extends Omit<EnvironmentFolders, "locked"> {
  /** The folder that these settings mean, if they mean one of the user's. Throws when it cannot be stood on. */
  placeOf(settings: EnvironmentSettings): Promise<string | undefined>;
  /** Makes an environment, or changes what it is based on while nothing is installed. */
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
  /** Removes it with all that is in it; an environment of the user's that it is based on stays. */
  remove(name: string): Promise<void>;
}

export interface EnvironmentsOptions {
  readonly folder: string;
  readonly settings: PackageSettings;
  readonly installers: Readonly<Partial<Record<Language, Installer>>>;
  /** In which nothing may be that an environment is based on or comes from: code can write there. */
  readonly ownFolders: readonly string[];
}

export function createEnvironments(options: EnvironmentsOptions): Environments {
  const { settings, installers, ownFolders } = options;
  const { list, get, find, locked } = createEnvironmentFolders(options.folder, settings.timeoutSeconds);
  const installerOf = (language: Language): Installer => {
    const installer = installers[language];
    if (installer) return installer;
    throw new CoordinatorError("input_invalid", `Packages of ${language} cannot be installed in this version`);
  };
  const placeOf = async (wanted: EnvironmentSettings): Promise<string | undefined> => {
    const path = wanted.condaName === undefined ? wanted.path : await condaFolder(wanted);
    if (path === undefined) return undefined;
    for (const each of [path, interpreterIn(path, wanted.type)]) refuseOwnFolders(each, ownFolders);
    return path;
  };
  return {
    list,
    get,
    find,
    placeOf,
    configure: (name, wanted) =>
      locked(name, {}, async (folder) => {
        const before = await readEnvironment(folder);
        const record = await configured(name, before, wanted, await placeOf(wanted), installerOf("python"));
        await writeEnvironment(folder, record);
        const previous = before && withFolders(name, folder, before);
        return { ...(previous && { previous }), current: withFolders(name, folder, record) };
      }),
    async install(name, language, requirements, installOptions = {}) {
      const installer = installerOf(language);
      checkPolicy(requirements, installer, settings);
      for (const path of pathsIn(requirements, settings)) refuseOwnFolders(path, ownFolders);
      return locked(name, installOptions, async (folder) => {
        const wanted = { language, requirements, installer, settings };
        return { environment: name, language, ...(await installInto(folder, wanted, installOptions)) };
      });
    },
    async packages(name, language) {
      const environment = await get(name);
      return installerOf(language).list(environment.layers[language], { ...environment, layers: {} });
    },
    setVariables: (name, variables) =>
      locked(name, {}, async (folder) => {
        const before = (await readEnvironment(folder)) ?? emptyEnvironment;
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

/** What an environment is when it is based on something else than before. */
async function configured(
  name: string,
  before: EnvironmentRecord | undefined,
  wanted: EnvironmentSettings,
  path: string | undefined,
  installer: Installer,
): Promise<EnvironmentRecord> {
  const isSame = before?.type === wanted.type && before.path === path;
  if (before?.layers.python !== undefined && !isSame) throw inUse(name);
  // What a model has chosen before becomes the user's when the user chooses it.
  if (isSame && before.python) return { ...before, ...(!wanted.isModels && { isModels: undefined }) };
  const { python: _old, path: _path, isModels: _models, ...kept } = before ?? emptyEnvironment;
  const chosen = path !== undefined && { path, ...(wanted.isModels && { isModels: true as const }) };
  return installer.prepare({ ...kept, type: wanted.type, ...chosen });
}

interface WantedPackages {
  readonly language: Language;
  readonly requirements: readonly string[];
  readonly installer: Installer;
  readonly settings: PackageSettings;
}

async function installInto(
  folder: string,
  { language, requirements, installer, settings }: WantedPackages,
  options: InstallOptions,
): Promise<Pick<Installation, "type" | "installed">> {
  const before = (await readEnvironment(folder)) ?? emptyEnvironment;
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
    return { type: record.type, installed };
  } catch (thrown) {
    await rm(fresh, { recursive: true, force: true });
    throw thrown;
  }
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

/** The files among what is to be installed. */
export function pathsIn(requirements: readonly string[], { sources }: Pick<PackageSettings, "sources">): string[] {
  return requirements.flatMap((requirement) => {
    const read = readRequirement(requirement, sources);
    return typeof read === "string" || read.path === undefined ? [] : [read.path];
  });
}

function inUse(name: string): CoordinatorError {
  return new CoordinatorError("input_invalid", `The environment "${name}" has packages for what it is based on now`, {
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
    hint: `Create it (${type} create -n ${/^[\w.-]+$/.test(condaName) ? condaName : "NAME"} python), or give its folder. Looked in: ${folders.join(", ") || "nowhere, since this cannot be a name"}.`,
  });
}
