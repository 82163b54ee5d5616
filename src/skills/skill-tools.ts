import type { ToolName } from "../actor.ts";
import type { Libraries } from "../runtime/libraries/libraries.ts";
import type { SkillDraft, SkillStore, SkillSummary, SkillTool } from "./skill-store.ts";
import { staleness } from "./staleness.ts";

type Skill = SkillDraft | SkillSummary;

/** What skills call, with what the skills call that they import. */
export interface SkillTools {
  /** As they were when the skill was saved. */
  of(skill: Skill): Promise<readonly SkillTool[]>;
  /** The same by name, every tool of a server where it imports the whole library. */
  named(skill: Skill): Promise<readonly ToolName[]>;
  /** What has changed under it since it was saved. */
  stale(skill: SkillSummary): Promise<readonly string[]>;
}

export function createSkillTools(store: Pick<SkillStore, "peek">, libraries: Libraries): SkillTools {
  const of = async (skill: Skill, seen = new Set<string>()): Promise<readonly SkillTool[]> => {
    const tools = [...skill.tools];
    for (const specifier of skill.imports) {
      if (seen.has(specifier)) continue;
      seen.add(specifier);
      const [name = "", version] = specifier.split("@");
      const imported = await store.peek(name, version === undefined ? undefined : Number(version));
      if (imported) tools.push(...(await of(imported, seen)));
    }
    return tools;
  };
  const librariesOf = (tools: readonly SkillTool[]) => libraries.load(tools.map(({ server }) => server));
  return {
    of: (skill) => of(skill),
    async named(skill) {
      const tools = await of(skill);
      const known = await librariesOf(tools);
      return tools.flatMap(({ server, tool }) => {
        if (tool !== "*") return [{ server, tool }];
        return (known.get(server)?.library.tools ?? []).map(({ name }) => ({ server, tool: name }));
      });
    },
    async stale(skill) {
      const tools = await of(skill);
      const known = await librariesOf(tools);
      return staleness(tools, {
        isConfigured: (server) => libraries.modules.some(({ name }) => name === server),
        library: (server) => known.get(server)?.library,
      });
    },
  };
}
