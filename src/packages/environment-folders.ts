import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { CoordinatorError } from "../errors.ts";
import type { Language } from "../sandbox/engine.ts";
import { createFileLock } from "../system/file-lock.ts";
import { nearest } from "../system/nearest.ts";
import { type EnvironmentRecord, readEnvironment } from "./environment-file.ts";
import { checkEnvironmentName } from "./environment-name.ts";
import type { InstallOptions } from "./installer.ts";

/** A named environment, and where the packages of each language are. */
export interface Environment extends Omit<EnvironmentRecord, "layers"> {
  readonly name: string;
  readonly layers: Readonly<Partial<Record<Language, string>>>;
}

/** The folders of environments, each of which one at a time may change. */
export interface EnvironmentFolders {
  list(): Promise<readonly Environment[]>;
  /** Throws environment_unknown. */
  get(name: string): Promise<Environment>;
  find(name: string): Promise<Environment | undefined>;
  /** Works in the folder of an environment, which is made if need be, while nobody else does. */
  locked<T>(name: string, options: InstallOptions, work: (folder: string) => Promise<T>): Promise<T>;
}

export function createEnvironmentFolders(root: string, patienceSeconds: number): EnvironmentFolders {
  const withLock = createFileLock(join(root, ".locks"));
  const folderOf = (name: string): string => join(root, checkEnvironmentName(name));
  const find = async (name: string): Promise<Environment | undefined> => {
    const record = await readEnvironment(folderOf(name));
    return record && withFolders(name, folderOf(name), record);
  };
  const list = async (): Promise<Environment[]> => {
    const names = await readdir(root).catch((): string[] => []);
    const found = await Promise.all(names.filter((name) => /^[a-z0-9]/.test(name)).map(find));
    return found.flatMap((environment) => environment ?? []);
  };
  return {
    find,
    list,
    async get(name) {
      const environment = await find(name);
      if (environment) return environment;
      const names = (await list()).map((known) => known.name);
      const close = nearest(name, names);
      const known = names.length > 0 ? `Choose one of: ${names.join(", ")}.` : "There are none.";
      throw new CoordinatorError("environment_unknown", `There is no environment "${name}"`, {
        hint: `${close ? `Did you mean "${close}"? ` : ""}${known} \`env create\` or configure_environment makes one.`,
      });
    },
    async locked(name, { signal, onProgress }, work) {
      const folder = folderOf(name);
      const onWait = () => onProgress?.(`Waiting for another change of the environment "${name}"`);
      const busy = () =>
        new CoordinatorError("install_failed", `Another change of the environment "${name}" is taking very long`, {
          hint: "Nothing was changed. Try again when it has ended.",
        });
      return withLock(name, { patienceMs: patienceSeconds * 1000, busy, signal, onWait }, async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        return work(folder);
      });
    },
  };
}

export function withFolders(name: string, folder: string, record: EnvironmentRecord): Environment {
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

export function layerOf(folder: string, language: Language, number: number): string {
  return join(folder, `${language}-${number}`);
}
