import type { Actor, Reach } from "../actor.ts";
import type { Library } from "../catalog/tool.ts";
import { limitHint } from "../door/lists-gate.ts";
import { CoordinatorError, messageOf } from "../errors.ts";
import type { GuestLibrary, ImportPolicy } from "../sandbox/engine.ts";
import { type Problem, problemInModule } from "./checks/problem.ts";
import type { AbsentServers, Compiled, Declared, Import, LinkedModule, LinkedModules } from "./compiled.ts";
import { guestLibrary } from "./libraries/guest-library.ts";
import type { Libraries } from "./libraries/libraries.ts";
import { linkModules } from "./modules/link-modules.ts";
import type { ModuleSource } from "./modules/module-source.ts";
import { type LimitedSkill, limitedSkills, narrow } from "./reach.ts";
import { unreadable } from "./source.ts";
import type { Toolchain } from "./toolchain.ts";

/** Guest code before it runs. */
export interface GuestCode {
  readonly source: string;
  readonly toolchain: Toolchain;
  /** What earlier runs of its session have left; undefined outside a session. */
  readonly kept: readonly Declared[] | undefined;
  readonly reach: Reach;
  /** Skills with limits that earlier runs of its session have left in the process. */
  readonly limited: readonly LimitedSkill[];
  /** Where its imports beside libraries are found. */
  readonly sources: readonly ModuleSource[];
  readonly actor: Actor;
}

/** A guest that has been read, with the libraries that it imports. */
export interface Prepared {
  readonly compiled: Compiled;
  readonly imported: readonly GuestLibrary[];
  readonly linked: LinkedModules;
  /** What the skills that it imports leave of its reach. */
  readonly reach: Reach;
  /** Checks types and names: what would go wrong when it runs. */
  check(): Promise<readonly Problem[]>;
}

/** Reads the code and finds its libraries, or what is wrong with them. Nothing runs. */
export async function prepareGuest(
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
  const imports = importsOf(compiled, linked);
  const reach = narrow(guest.reach, [...guest.limited, ...limitedSkills(linked.modules)]);
  const outside = beyondLimit(imports, { before: guest.reach, after: reach }, libraries);
  if (outside.length > 0) return { problems: outside };
  const found = await findLibraries(imports, { kept, servers: reach.servers, actor: guest.actor }, libraries);
  if (found.problems) return { problems: found.problems };
  return {
    reach,
    compiled,
    imported: found.imported.map((library) => guestLibrary(library, toolchain.language)),
    linked,
    check: async () =>
      toolchain.checker.check(source, found.all, {
        kept,
        modules: await toolchain.engine.modules?.(),
        absent: absentServers(libraries, reach),
        linked,
      }),
  };
}

/** What the guest and its modules import, each with the module that does. */
function importsOf({ imports }: Compiled, { modules }: LinkedModules): (Import & { importer?: LinkedModule })[] {
  return [...imports, ...modules.flatMap((importer) => importer.compiled.imports.map((one) => ({ ...one, importer })))];
}

/** The imports of servers that only the limit of a skill takes away: each is told with that reason. */
function beyondLimit(
  imports: ReturnType<typeof importsOf>,
  { before, after }: { readonly before: Reach; readonly after: Reach },
  libraries: Libraries,
): readonly Problem[] {
  if (!after.limitedBy || before.servers === after.servers) return [];
  const { limitedBy, servers } = after;
  return libraries.modules
    .filter(({ name }) => (before.servers?.has(name) ?? true) && !servers?.has(name))
    .flatMap(({ name, module }) => imports.filter(({ library }) => library === module).map((one) => ({ name, one })))
    .map(({ name, one: { line, column, importer } }) => {
      const problem = { line, column, message: `This run may not use the server "${name}". ${limitHint(limitedBy)}` };
      return importer ? problemInModule(problem, importer) : problem;
    });
}

/** The servers that are configured, and not there for this run. */
function absentServers({ modules, leftOut }: Libraries, { servers }: Reach): AbsentServers {
  const named = [...(servers ?? [])].map((name) => JSON.stringify(name)).join(", ");
  return new Map([
    ...modules
      .filter(({ name }) => !(servers?.has(name) ?? true))
      .map(({ name, module }): [string, string] => {
        const why = `The server "${name}" is configured, but this run was limited to servers: [${named}].`;
        return [module, `${why} Add "${name}" there, or leave servers out.`];
      }),
    ...leftOut.map(({ name, module, reason, fix }): [string, string] => {
      return [module, `The server "${name}" is left out: ${reason}. The user can change that: ${fix}`];
    }),
  ]);
}

/** The libraries that are imported, or were earlier in the session, asked for if need be, among all that could be. */
async function findLibraries(
  imports: ReturnType<typeof importsOf>,
  {
    kept,
    servers,
    actor,
  }: { readonly kept: readonly Declared[]; readonly servers: Reach["servers"]; readonly actor: Actor },
  libraries: Libraries,
) {
  const reachable = libraries.modules.filter(({ name }) => servers?.has(name) ?? true);
  const problems: Problem[] = [];
  const imported = new Map<string, Library>();
  for (const { name, module } of reachable) {
    const place = imports.find(({ library }) => library === module);
    if (!place && !kept.some(({ from }) => from && names(from.specifier, module))) continue;
    try {
      const { library } = await libraries.get(name, actor);
      imported.set(module, library);
    } catch (thrown) {
      if (!place) continue;
      const problem = { line: place.line, column: place.column, message: whyNoServer(thrown) };
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

/** Why a server cannot be asked, without all that it wrote before it ended: the user has that, and what to do about it. */
function whyNoServer(thrown: unknown): string {
  const [what = "", ...written] = messageOf(thrown).split("\n");
  const word = written.find((line) => /error/i.test(line)) ?? written.at(-1);
  const hint = thrown instanceof CoordinatorError && thrown.hint !== undefined ? ` ${thrown.hint}.` : "";
  const why = [what, word?.trim()].filter(Boolean).join(" ").slice(0, longestReason);
  return `${why.replace(/\)$/, ").")}${hint.replace(/\.\.$/, ".")} That is for the user to mend (mcp-coordinator doctor); the other servers can be used.`;
}

const longestReason = 500;

function names(specifier: string, module: string): boolean {
  return [`mcp_tools/${module}`, `mcp_tools.${module}`, `mcp_tools.aio.${module}`].includes(specifier);
}
