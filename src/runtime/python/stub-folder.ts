import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Library } from "../../catalog/tool.ts";
import { pythonIndexStubs, pythonStubs } from "../../codegen/python/stubs.ts";
import { isAlive, ownerHere } from "../../system/owner.ts";
import type { FileChange } from "./language-server.ts";

/** What pyright sees beside the guest's text and the standard library: stubs of ours, in a folder that only we can read. */
export interface StubFolder {
  readonly path: string;
  /** Puts these libraries in place, with all that the `imported` ones have; returns what pyright has to be told. */
  place(libraries: readonly Library[], imported: ReadonlySet<string>): readonly FileChange[];
  /**
   * Puts these modules in place, by their names, and returns the folder that code has to be in to import them. It is
   * another one for other modules: to see that a folder has changed, pyright would have to forget all that it knows.
   */
  placeModules(modules: ReadonlyMap<string, string>): string;
  remove(): void;
}

/** The stub of which everything can be imported: what a session has kept of unknown type. */
export const sessionModule = "_session";

/** So many sets of modules are kept. */
const mostRuns = 50;

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
  const runs = new Set<string>();
  const write = (file: string, text: string) => writeFileSync(join(path, file), text, { mode: 0o600 });

  mkdirSync(join(path, "mcp_tools", "aio"), { recursive: true, mode: 0o700 });
  for (const name of ["coordinator", "runs"]) mkdirSync(join(path, name), { mode: 0o700 });
  write("pyrightconfig.json", JSON.stringify(configuration));
  write(`${sessionModule}.pyi`, anything);
  write("mcp_tools/__init__.pyi", pythonIndexStubs([]));
  write("mcp_tools/aio/__init__.pyi", pythonIndexStubs([], { async: true }));
  write("coordinator/__init__.pyi", coordinatorStubs);
  write("coordinator/aio.pyi", asCoroutines(coordinatorStubs));

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
            changes.push({ path: join(path, file), isNew });
          }
        }
      }
      return changes;
    },
    placeModules(modules) {
      const hash = createHash("sha256")
        .update(JSON.stringify([...modules]))
        .digest("hex")
        .slice(0, 32);
      const place = join(path, "runs", hash);
      const isThere = runs.delete(place);
      runs.add(place);
      if (isThere) return place;
      for (const [name, text] of modules) {
        const file = join("runs", hash, fileOf(name, [...modules.keys()]));
        mkdirSync(dirname(join(path, file)), { recursive: true, mode: 0o700 });
        write(file, text);
      }
      const [oldest] = runs;
      if (runs.size > mostRuns && oldest !== undefined) {
        runs.delete(oldest);
        rmSync(oldest, { recursive: true, force: true });
      }
      return place;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** A package where there are modules below it. */
function fileOf(module: string, names: readonly string[]): string {
  const path = join(...module.split("."));
  const isPackage = names.some((name) => name.startsWith(`${module}.`));
  return isPackage ? join(path, "__init__.py") : `${path}.py`;
}

/** The same functions to be awaited; the methods of the types that they speak of stay as they are. */
function asCoroutines(stubs: string): string {
  return stubs.replace(/^( *)def (?!__)/gm, "$1async def ");
}

/** Folders of coordinators that were killed. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = /^python-check-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && isAlive(ownerHere(pid, "")) === false)
      rmSync(join(parent, name), { recursive: true, force: true });
  }
}
