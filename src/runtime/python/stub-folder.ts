import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Library } from "../../catalog/tool.ts";
import { pythonIndexStubs, pythonStubs } from "../../codegen/python/stubs.ts";
import { keepRecent } from "../../system/keep-recent.ts";
import { isAlive, thisProcess } from "../../system/owner.ts";
import type { FileChange } from "./language-server.ts";

/** What pyright sees beside the guest's text and the standard library: our stubs, in a folder that only we can read. */
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
  const { node, epoch } = thisProcess();
  const path = realpathSync(mkdtempSync(join(parent, `python-check-${node}-${epoch}-`)));
  const placed = new Map<string, Library | undefined>();
  const runs = new Map<string, string>();
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(path, file)), { recursive: true, mode: 0o700 });
    writeFileSync(join(path, file), text, { mode: 0o600 });
  };
  write("pyrightconfig.json", JSON.stringify(configuration));
  write(`${sessionModule}.pyi`, anything);
  write("mcp_tools/__init__.pyi", pythonIndexStubs([]));
  write("mcp_tools/aio/__init__.pyi", pythonIndexStubs([], { async: true }));
  write("coordinator/__init__.pyi", coordinatorStubs);
  write("coordinator/aio.pyi", asCoroutines(coordinatorStubs));

  return {
    path,
    place(libraries, imported) {
      return libraries.flatMap((library): FileChange[] => {
        const { module } = library;
        if (!/^\w+$/.test(module)) return [];
        const isNew = !placed.has(module);
        const before = placed.get(module);
        const isWanted = imported.has(module) && before !== library;
        if (!isNew && !isWanted) return [];
        const files = [`mcp_tools/${module}.pyi`, `mcp_tools/aio/${module}.pyi`];
        for (const [twin, file] of files.entries()) {
          write(file, isWanted ? pythonStubs(library, { async: twin === 1 }) : anything);
        }
        placed.set(module, isWanted ? library : undefined);
        // One that nobody has imported has not been read either.
        return isNew || before ? files.map((file) => ({ path: join(path, file), isNew })) : [];
      });
    },
    placeModules(modules) {
      const hash = createHash("sha256")
        .update(JSON.stringify([...modules]))
        .digest("hex")
        .slice(0, 32);
      const place = join(path, "runs", hash);
      const isThere = runs.has(hash);
      const [, oldest] = keepRecent(runs, hash, place, mostRuns) ?? [];
      if (oldest !== undefined) rmSync(oldest, { recursive: true, force: true });
      if (isThere) return place;
      for (const [name, text] of modules) write(join("runs", hash, fileOf(name, [...modules.keys()])), text);
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
    const [, node, epoch] = /^python-check-([0-9a-f]{12})-(\d+\.\d*)-/.exec(name) ?? [];
    if (node !== undefined && epoch !== undefined && isAlive({ node, epoch }) === false)
      rmSync(join(parent, name), { recursive: true, force: true });
  }
}
