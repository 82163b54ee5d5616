import { lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CoordinatorError, messageOf, systemCode } from "../../errors.ts";
import { inFileTurn } from "../../runtime/file-turns.ts";
import { readFileWithin } from "../../system/read-file.ts";
import { replaceFile } from "../../system/replace-file.ts";
import { readFolderPath } from "../../workspace/file-name.ts";
import type { Workspace } from "../../workspace/workspace.ts";

/** A folder that generated files are put into. */
export interface OutputFolder {
  /** Absolute. */
  readonly path: string;
  /** The paths of all that is in it and in our only subfolder, except what Python leaves there. */
  files(): Promise<readonly string[]>;
  /** The text of a file; undefined for anything else. */
  read(path: string): Promise<string | undefined>;
  /** Puts a file in place whole. `onlyNew`: throws when one has come there meanwhile. */
  write(path: string, text: string, options: { readonly onlyNew: boolean }): Promise<void>;
  remove(path: string): Promise<void>;
  /** Gives what is there another name, and answers it. */
  moveAside(path: string): Promise<string>;
}

/** The folder of the async twins; no library has that name. */
const subfolder = "aio";
/** No file that was generated is larger. */
const mostBytes = 64_000_000;
/** Python writes it beside every module that it runs. */
const compiledPython = "__pycache__";

export function diskFolder(folder: string): OutputFolder {
  const namesIn = async (place: string): Promise<string[]> => {
    try {
      return (await readdir(place)).filter((name) => name !== compiledPython);
    } catch (thrown) {
      if (systemCode(thrown) === "ENOENT") return [];
      throw new CoordinatorError("input_invalid", `Cannot write to ${folder}: ${messageOf(thrown)}`, { cause: thrown });
    }
  };
  return {
    path: folder,
    async files() {
      const names = await namesIn(folder);
      if (!names.includes(subfolder)) return names;
      const below = await namesIn(join(folder, subfolder));
      return [...names.filter((name) => name !== subfolder), ...below.map((name) => `${subfolder}/${name}`)];
    },
    async read(path) {
      const options = { most: mostBytes, code: "output_exists", hint: "Choose another folder." } as const;
      const bytes = await readFileWithin(join(folder, path), options).catch(() => undefined);
      return bytes?.toString("utf8");
    },
    async write(path, text, { onlyNew }) {
      const place = join(folder, path);
      await mkdir(dirname(place), { recursive: true });
      if (onlyNew && (await isThere(place))) throw appeared(place);
      await replaceFile(place, text);
    },
    remove: (path) => rm(join(folder, path)),
    async moveAside(path) {
      const place = join(folder, path);
      for (let number = 1; ; number++) {
        const backup = number === 1 ? `${place}.backup` : `${place}.backup-${number}`;
        if (await isThere(backup)) continue;
        await rename(place, backup);
        return backup;
      }
    },
  };
}

/** By the rules of the workspace: its paths, what is closed in it, its quota. Nothing there is moved. */
export function workspaceFolder(workspace: Workspace, folder: string): OutputFolder {
  const parts = readFolderPath(folder);
  const at = (path: string) => [...parts, path].join("/");
  return {
    path: join(workspace.root, ...parts),
    async files() {
      const { entries } = await listIfThere(workspace, folder);
      return entries
        .map(({ path }) => path.slice(at("").length))
        .filter((path) => path !== subfolder && !path.split("/").includes(compiledPython));
    },
    async read(path) {
      try {
        return workspace.read(at(path)).toString();
      } catch (thrown) {
        if (thrown instanceof CoordinatorError) return undefined; // a folder, or closed
        throw thrown;
      }
    },
    async write(path, text, { onlyNew }) {
      await workspace.write(at(path), text, { onlyNew });
    },
    remove: (path) => workspace.remove(at(path)),
    async moveAside(path) {
      throw appeared(join(workspace.root, at(path)));
    },
  };
}

async function listIfThere(workspace: Workspace, folder: string) {
  try {
    return await inFileTurn({ turn: "" }, () => workspace.list({ folder, limit: Number.POSITIVE_INFINITY }));
  } catch (thrown) {
    if (thrown instanceof CoordinatorError && thrown.code === "file_unknown") return { entries: [] };
    throw thrown;
  }
}

async function isThere(place: string): Promise<boolean> {
  const found = await lstat(place).catch((thrown) => {
    if (systemCode(thrown) !== "ENOENT") throw thrown;
  });
  return found !== undefined;
}

function appeared(place: string): CoordinatorError {
  return new CoordinatorError("output_exists", `Cannot write ${place}: a file that was not generated is there`, {
    hint: "Some of the files may have been written. Choose another folder.",
  });
}
