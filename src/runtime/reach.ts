import { isSameTool, type Reach, type ToolName } from "../actor.ts";
import type { SkillLimit, SourceModule } from "./modules/module-source.ts";

/** A skill that carries the limit of the run that saved it. */
export interface LimitedSkill {
  readonly id: string;
  readonly limit: SkillLimit;
}

export function limitedSkills(modules: readonly SourceModule[]): LimitedSkill[] {
  return modules.flatMap(({ id, limit }) => (limit ? [{ id, limit }] : []));
}

/**
 * What is left to a run that has such skills in its process. All code there can do what any of it can, so a call cannot
 * be traced to the skill that makes it: the limit is the whole run's.
 */
export function narrow(reach: Reach, skills: readonly LimitedSkill[]): Reach {
  if (skills.length === 0) return reach;
  let { servers, tools } = reach;
  for (const { limit } of skills) {
    if (limit.servers) servers = new Set(limit.servers.filter((name) => servers?.has(name) ?? true));
    if (limit.tools) tools = limit.tools.filter((tool) => tools?.some((known) => isSameTool(known, tool)) ?? true);
  }
  const isNarrower = servers?.size !== reach.servers?.size || tools?.length !== reach.tools?.length;
  return isNarrower ? { servers, tools, limitedBy: skills.map(({ id }) => id) } : reach;
}

/** The limit that a skill gets from the run that saves it; undefined when that has none. */
export function limitOf({ servers, tools }: Reach): SkillLimit | undefined {
  if (!servers && !tools) return undefined;
  const key = ({ server, tool }: ToolName) => JSON.stringify([server, tool]);
  return {
    ...(servers && { servers: [...servers].sort() }),
    ...(tools && {
      tools: [...new Map(tools.map((tool) => [key(tool), { server: tool.server, tool: tool.tool }])).entries()]
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([, tool]) => tool),
    }),
  };
}
