import type { Library } from "../../catalog/tool.ts";
import { keepRecent } from "../../system/keep-recent.ts";
import type { AbsentServers, LinkedModule, LinkedModules } from "../compiled.ts";
import { type Problem, problemInModule } from "./problem.ts";

/** What one process that checks has found in modules: nothing is checked again before something has changed that the answer depends on. */
export interface CheckedModules {
  of(
    linked: LinkedModules,
    around: Around,
    check: (module: LinkedModule) => Promise<readonly Problem[]>,
  ): Promise<readonly Problem[]>;
}

/** The servers that modules may import. */
interface Around {
  readonly libraries: readonly Library[];
  readonly absent?: AbsentServers | undefined;
}

const mostRemembered = 1000;

export function createCheckedModules(): CheckedModules {
  const known = new Map<string, { readonly inputs: readonly unknown[]; readonly problems: readonly Problem[] }>();
  return {
    async of(linked, around, check) {
      const found: Problem[] = [];
      for (const module of linked.modules) {
        if (module.format === "commonjs") continue;
        const inputs = inputsOf(module, linked, around);
        let checked = known.get(module.id);
        if (!checked || !isSame(checked.inputs, inputs)) {
          const problems = await check(module);
          checked = { inputs, problems: problems.map((problem) => problemInModule(problem, module)) };
          keepRecent(known, module.id, checked, mostRemembered);
        }
        found.push(...checked.problems);
      }
      return found;
    },
  };
}

/** The code of the module and of all that it imports, and the libraries that those import. */
function inputsOf(module: LinkedModule, { modules }: LinkedModules, around: Around): unknown[] {
  const byId = new Map(modules.map((one) => [one.id, one]));
  const reached = new Set([module]);
  for (const one of reached) {
    for (const [, id] of one.links) {
      const next = byId.get(id);
      if (next) reached.add(next);
    }
  }
  return [...reached].flatMap(({ id, code, links, compiled }) => [
    id,
    code,
    ...links.flat(),
    ...compiled.imports.map(({ library }) => library && serverIn(around, library)),
  ]);
}

/** The library, or why there is none. */
function serverIn({ libraries, absent }: Around, module: string): unknown {
  return libraries.find((one) => one.module === module) ?? absent?.get(module);
}

function isSame(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index]);
}
