import type { Library } from "../catalog/tool.ts";
import { messageOf } from "../errors.ts";
import type { GuestLibrary, ImportPolicy } from "../sandbox/engine.ts";
import type { Compiled, Declared, Import } from "./compiled.ts";
import { guestLibrary } from "./guest-library.ts";
import type { Libraries } from "./libraries.ts";
import { type LinkedModule, type LinkedModules, linkModules } from "./linked-modules.ts";
import type { ModuleSource } from "./module-source.ts";
import { type Problem, problemInModule } from "./problem.ts";
import { unreadable } from "./source.ts";
import type { Toolchain } from "./toolchain.ts";

/** Guest code before it runs. */
export interface GuestCode {
  readonly source: string;
  readonly toolchain: Toolchain;
  /** What earlier runs of its session have left; undefined outside a session. */
  readonly kept: readonly Declared[] | undefined;
  /** The servers that it may use; all when undefined. */
  readonly servers: ReadonlySet<string> | undefined;
  /** Where its imports beside libraries are found. */
  readonly sources: readonly ModuleSource[];
}

/** A guest that has been read, with the libraries that it imports. */
export interface Prepared {
  readonly compiled: Compiled;
  readonly imported: readonly GuestLibrary[];
  readonly linked: LinkedModules;
  /** Checks types and names: what would go wrong when it runs. */
  check(): Promise<readonly Problem[]>;
}

/** Reads the code and finds its libraries, or what is wrong with them. Nothing runs. */
export async function prepare(
  guest: GuestCode,
  libraries: Libraries,
  policy: ImportPolicy,
): Promise<Prepared | { readonly problems: readonly Problem[] }> {
  const { source, toolchain, kept = [] } = guest;
  const problem = unreadable(source);
  if (problem) return { problems: [problem] };
  const compiled = await toolchain.compile(source, { session: guest.kept !== undefined });
  if ("problems" in compiled) return compiled;
  const linked = await linkModules({ ...guest, imports: compiled.imports, kept, policy });
  if ("problems" in linked) return linked;
  const found = await findLibraries(importsOf(compiled, linked), guest, libraries);
  if (found.problems) return { problems: found.problems };
  return {
    compiled,
    imported: found.imported.map((library) => guestLibrary(library, toolchain.language)),
    linked,
    check: async () =>
      toolchain.checker.check(source, found.all, { kept, modules: await toolchain.engine.modules?.(), linked }),
  };
}

/** What the guest and its modules import, each with the module that does. */
function importsOf({ imports }: Compiled, { modules }: LinkedModules): (Import & { importer?: LinkedModule })[] {
  return [...imports, ...modules.flatMap((importer) => importer.compiled.imports.map((one) => ({ ...one, importer })))];
}

/** The libraries that are imported, or were earlier in the session, asked for if need be, among all that could be. */
async function findLibraries(
  imports: ReturnType<typeof importsOf>,
  { kept = [], servers }: GuestCode,
  libraries: Libraries,
) {
  const reachable = libraries.modules.filter(({ name }) => servers?.has(name) ?? true);
  const problems: Problem[] = [];
  const imported = new Map<string, Library>();
  for (const { name, module } of reachable) {
    const place = imports.find(({ library }) => library === module);
    if (!place && !kept.some(({ from }) => from && names(from.specifier, module))) continue;
    try {
      const { library } = await libraries.get(name);
      imported.set(module, library);
    } catch (thrown) {
      if (!place) continue;
      const problem = { line: place.line, column: place.column, message: messageOf(thrown) };
      problems.push(place.importer ? problemInModule(problem, place.importer) : problem);
    }
  }
  if (problems.length > 0) return { problems };
  // The others are there by name only: enough for "did you mean".
  const all = reachable.map(({ name, module }) => {
    return imported.get(module) ?? { server: name, module, description: "", tools: [] };
  });
  return { all, imported: [...imported.values()] };
}

function names(specifier: string, module: string): boolean {
  return [`mcp_tools/${module}`, `mcp_tools.${module}`, `mcp_tools.aio.${module}`].includes(specifier);
}
