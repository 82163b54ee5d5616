import type { LinkedModules } from "./linked-modules.ts";
import type { ModuleSource, SourceModule } from "./module-source.ts";

/** The modules that the runs of a session have imported: they stay importable when their own source is not there. */
export interface KeptModules extends ModuleSource {
  keep(linked: LinkedModules): void;
}

const mostKept = 500;

export function createKeptModules(): KeptModules {
  const kept = new Map<string, SourceModule>();
  const keyOf = (specifier: string, importer: string | undefined) => JSON.stringify([specifier, importer]);
  return {
    find: (specifier, importer) => kept.get(keyOf(specifier, importer?.id)),
    names: () => [],
    keep({ modules, links }) {
      const byId = new Map(modules.map(({ id, language, code, format }) => [id, { id, language, code, format }]));
      for (const { id: importer, links: its } of [{ id: undefined, links }, ...modules]) {
        for (const [specifier, id] of its) {
          const module = byId.get(id);
          if (module) kept.set(keyOf(specifier, importer), module);
        }
      }
      for (const key of [...kept.keys()].slice(0, Math.max(0, kept.size - mostKept))) kept.delete(key);
    },
  };
}
