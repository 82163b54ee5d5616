import { posix } from "node:path";
import { CoordinatorError } from "../../errors.ts";
import type { Language } from "../../sandbox/engine.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { ModuleSource, SourceModule } from "./module-source.ts";

const endings = [".ts", ".mts", ".js", ".mjs"] as const;

/** The language that a file's ending tells; undefined for files that are not code. */
export function languageOfFile(path: string): Language | undefined {
  if (path.endsWith(".py")) return "python";
  return endings.some((ending) => path.endsWith(ending)) ? "typescript" : undefined;
}

/**
 * The files around one that runs. TypeScript finds them by relative paths (`./fib.ts`, `./fib`, `../lib`), Python by
 * name, beside the file first and then from the workspace's root.
 */
export function createFileSource(workspace: Workspace, file: string, written = languageOfFile(file)): ModuleSource {
  const given = new Set<string>();
  const modules = new Map<string, SourceModule | undefined>();
  const load = (path: string): SourceModule | undefined => {
    if (modules.has(path)) return modules.get(path);
    const language = languageOfFile(path);
    const code = language && readCode(workspace, path);
    const module = language && code !== undefined ? { id: `./${path}`, language, code } : undefined;
    modules.set(path, module);
    if (module) given.add(module.id);
    return module;
  };
  return {
    find(specifier, importer) {
      // What a skill or a package imports is not about these files.
      if (importer && !given.has(importer.id)) return undefined;
      const holder = posix.dirname(importer ? importer.id : file);
      const candidates = written === "python" ? pythonPaths(specifier, file) : scriptPaths(specifier, holder);
      for (const path of candidates) {
        const found = load(path);
        if (found) return found;
      }
      return undefined;
    },
    names: async () => [],
  };
}

function scriptPaths(specifier: string, folder: string): string[] {
  if (!/^\.\.?\//.test(specifier)) return [];
  const path = posix.join(folder, specifier);
  return [path, ...endings.map((ending) => path + ending), ...endings.map((ending) => `${path}/index${ending}`)];
}

function pythonPaths(specifier: string, file: string): string[] {
  const path = specifier.replaceAll(".", "/");
  const beside = posix.join(posix.dirname(file), path);
  return [...new Set([beside, path])].flatMap((place) => [`${place}.py`, `${place}/__init__.py`]);
}

/** A path that is not valid, or leads out, is simply not found: the import says so in its own words. */
function readCode(workspace: Workspace, path: string): string | undefined {
  try {
    return workspace.read(path).toString();
  } catch (thrown) {
    if (thrown instanceof CoordinatorError && /^file_(unknown|refused)$/.test(thrown.code)) return undefined;
    throw thrown;
  }
}
