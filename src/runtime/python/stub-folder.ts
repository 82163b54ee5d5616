import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Library } from "../../catalog/tool.ts";
import { pythonIndexStubs, pythonStubs } from "../../codegen/python/stubs.ts";
import type { FileChange } from "./language-server.ts";

/** What pyright sees beside the guest's text and the standard library: stubs of ours, in a folder that only we can read. */
export interface StubFolder {
  readonly path: string;
  /** Puts these libraries in place, with all that the `imported` ones have; returns what pyright has to be told. */
  place(libraries: readonly Library[], imported: ReadonlySet<string>): readonly FileChange[];
  /** Puts these modules in place, by their names; those of others go, but for skills, which others may import next. */
  placeModules(modules: ReadonlyMap<string, string>): readonly FileChange[];
  remove(): void;
}

/** The stub of which everything can be imported: what a session has kept of unknown type. */
export const sessionModule = "_session";

/** The folder of modules that are no skills. */
export const neighbours = "_neighbours";

/** Of a library that no guest has imported yet only the name matters. */
const anything = "from typing import Any\ndef __getattr__(name: str) -> Any: ...\n";

export interface StubFolderOptions {
  readonly parent: string;
  readonly coordinatorStubs: string;
  readonly configuration: object;
}

export function createStubFolder({ parent, coordinatorStubs, configuration }: StubFolderOptions): StubFolder {
  removeLeftovers(parent);
  const path = realpathSync(mkdtempSync(join(parent, `python-check-${process.pid}-`)));
  const placed = new Map<string, Library | undefined>();
  const texts = new Map<string, string>();
  const write = (file: string, text: string) => writeFileSync(join(path, file), text, { mode: 0o600 });

  mkdirSync(join(path, "mcp_tools", "aio"), { recursive: true, mode: 0o700 });
  for (const name of ["coordinator", "skills", neighbours]) mkdirSync(join(path, name), { mode: 0o700 });
  write("pyrightconfig.json", JSON.stringify(configuration));
  write(`${sessionModule}.pyi`, anything);
  write("mcp_tools/__init__.pyi", pythonIndexStubs([]));
  write("mcp_tools/aio/__init__.pyi", pythonIndexStubs([], { async: true }));
  write("coordinator/__init__.pyi", coordinatorStubs);
  write("coordinator/aio.pyi", anything);

  return {
    path,
    place(libraries, imported) {
      const changes: FileChange[] = [];
      for (const library of libraries) {
        const { module } = library;
        if (!/^\w+$/.test(module)) continue;
        const isNew = !placed.has(module);
        const before = placed.get(module);
        const isWanted = imported.has(module) && before !== library;
        if (!isNew && !isWanted) continue;
        write(`mcp_tools/${module}.pyi`, isWanted ? pythonStubs(library) : anything);
        write(`mcp_tools/aio/${module}.pyi`, isWanted ? pythonStubs(library, { async: true }) : anything);
        placed.set(module, isWanted ? library : undefined);
        // One that nobody has imported has not been read either.
        if (isNew || before) {
          for (const file of [`mcp_tools/${module}.pyi`, `mcp_tools/aio/${module}.pyi`]) {
            changes.push({ path: join(path, file), kind: isNew ? "created" : "changed" });
          }
        }
      }
      return changes;
    },
    placeModules(modules) {
      const changes: FileChange[] = [];
      const gone = [...texts.keys()].filter((name) => !modules.has(name) && !name.startsWith("skills."));
      // An empty folder is a module too: all go, and those that are wanted come back.
      if (gone.length > 0) rmSync(join(path, neighbours), { recursive: true });
      for (const name of gone.length > 0 ? [...texts.keys()] : []) {
        if (!name.startsWith("skills.")) texts.delete(name);
      }
      for (const name of gone) changes.push({ path: join(path, fileOf(name, [])), kind: "deleted" });
      mkdirSync(join(path, neighbours), { recursive: true, mode: 0o700 });
      for (const [name, text] of modules) {
        const before = texts.get(name);
        if (before === text) continue;
        const file = fileOf(name, [...modules.keys()]);
        mkdirSync(dirname(join(path, file)), { recursive: true, mode: 0o700 });
        write(file, text);
        texts.set(name, text);
        changes.push({ path: join(path, file), kind: before === undefined ? "created" : "changed" });
      }
      return changes;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** A skill is a package, so that there is room for its versions; a neighbour is one if there are modules below it. */
function fileOf(module: string, names: readonly string[]): string {
  const path = join(...module.split("."));
  if (module.startsWith("skills.")) return join(path, "__init__.py");
  const isPackage = names.some((name) => name.startsWith(`${module}.`));
  return join(neighbours, isPackage ? join(path, "__init__.py") : `${path}.py`);
}

/** Folders of coordinators that were killed. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = /^python-check-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}
