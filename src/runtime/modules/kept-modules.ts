import { keepRecent } from "../../system/keep-recent.ts";
import type { LinkedModules } from "../compiled.ts";
import { type LimitedSkill, limitedSkills } from "../reach.ts";
import type { ModuleSource, SourceModule } from "./module-source.ts";

/** The modules that the runs of a session have imported: they stay importable when their own source is not there. */
export interface KeptModules extends ModuleSource {
  keep(linked: LinkedModules): void;
  /** Those skills among them, from its beginning, that carry a limit: what they have left in the process stays there. */
  readonly limited: readonly LimitedSkill[];
}

const mostKept = 500;

export function createKeptModules(): KeptModules {
  const kept = new Map<string, SourceModule>();
  const limited = new Map<string, LimitedSkill>();
  const keyOf = (specifier: string, importer: string | undefined) => JSON.stringify([specifier, importer]);
  return {
    find: (specifier, importer) => kept.get(keyOf(specifier, importer?.id)),
    names: async () => [],
    get limited() {
      return [...limited.values()];
    },
    keep({ modules, links }) {
      for (const skill of limitedSkills(modules)) limited.set(skill.id, skill);
      const byId = new Map(
        modules.map(({ id, language, code, format, limit }) => [id, { id, language, code, format, limit }]),
      );
      for (const { id: importer, links: its } of [{ id: undefined, links }, ...modules]) {
        for (const [specifier, id] of its) {
          const module = byId.get(id);
          if (module) keepRecent(kept, keyOf(specifier, importer), module, mostKept);
        }
      }
    },
  };
}
