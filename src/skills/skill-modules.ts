import type { ModuleSource, SourceModule } from "../runtime/modules/module-source.ts";
import type { SkillDraft, SkillStore, SkillVersion } from "./skill-store.ts";

/** Skills as modules: `skills/<name>` and `skills/<name>@2`, in Python `skills.<name>` and `skills.<name>.v2`. */
export function skillModules(store: Pick<SkillStore, "get" | "names">): ModuleSource {
  return {
    async find(specifier) {
      const wanted = readSpecifier(specifier);
      const skill = wanted && (await store.get(wanted.name, wanted.version));
      return skill && moduleOf(skill, skill.version);
    },
    names: async (language) => (await store.names(language)).map((name) => `skills/${name}`),
  };
}

/** The same with a skill that is not stored yet, under the name that it will have. */
export function modulesWithDraft(draft: SkillDraft): ModuleSource {
  return {
    find(specifier) {
      const wanted = readSpecifier(specifier);
      return wanted?.name === draft.name && wanted.version === undefined ? moduleOf(draft, "new") : undefined;
    },
    names: async () => [],
  };
}

function moduleOf({ name, language, code, limit }: SkillDraft | SkillVersion, version: number | "new"): SourceModule {
  return { id: `skills/${name}@${version}`, language, code, limit };
}

function readSpecifier(specifier: string): { name: string; version: number | undefined } | undefined {
  const [, name, version] =
    /^skills\/([a-z][a-z0-9_]*)(?:@(\d+))?$/.exec(specifier) ??
    /^skills\.([a-z][a-z0-9_]*)(?:\.v(\d+))?$/.exec(specifier) ??
    [];
  return name === undefined ? undefined : { name, version: version === undefined ? undefined : Number(version) };
}

/** The names of the skills that code seems to import; a few that it does not do no harm. */
export function skillsMentioned(code: string): string[] {
  const direct = [...code.matchAll(/\bskills[/.]([a-z][a-z0-9_]*)/g)].map(([, name = ""]) => name);
  const lists = [...code.matchAll(/\bfrom\s+skills\s+import\s+\(?([\w\s,]+)/g)].map(([, list = ""]) => list);
  const listed = lists.flatMap((list) => list.match(/[a-z][a-z0-9_]*/g) ?? []);
  return [...new Set([...direct, ...listed])];
}
