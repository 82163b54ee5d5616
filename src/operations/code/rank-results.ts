import { createSearch, type Match } from "../../catalog/search.ts";
import type { Library, Tool } from "../../catalog/tool.ts";
import type { SkillSummary } from "../../skills/skill-store.ts";
import type { FoundTool } from "./show-tools.ts";

/** One result of a search: a tool of a server, or a skill. */
export type RankedResult = FoundTool | { readonly skill: SkillSummary };

/** Tools and skills that were found for a query, each in their order, as one list with the best first. */
export async function rankResults(
  query: string,
  match: Match,
  tools: readonly FoundTool[],
  skills: readonly SkillSummary[],
): Promise<RankedResult[]> {
  const scores = await jointScores(query, match, tools, skills);
  const merged: RankedResult[] = [];
  let next = 0;
  for (const skill of skills) {
    const score = scores.get(skill) ?? 0;
    while (next < tools.length && (scores.get(tools[next]?.tool ?? skill) ?? 0) > score)
      merged.push(...tools.slice(next, ++next));
    merged.push({ skill });
  }
  return [...merged, ...tools.slice(next)];
}

/** The skills that a regular expression fits, as it would fit tools. */
export async function fittingSkills(
  query: string,
  match: Match,
  skills: readonly SkillSummary[],
): Promise<SkillSummary[]> {
  const scores = await jointScores(query, match, [], skills);
  return skills.filter((skill) => scores.has(skill));
}

/** The score of each among all of them, by one measure: that of the search over tools. */
async function jointScores(
  query: string,
  match: Match,
  tools: readonly FoundTool[],
  skills: readonly SkillSummary[],
): Promise<ReadonlyMap<Tool | SkillSummary, number>> {
  const libraries = new Map<Library, Tool[]>();
  for (const { library, tool } of tools) libraries.set(library, [...(libraries.get(library) ?? []), tool]);
  const asTools = new Map(skills.map((skill) => [asTool(skill), skill]));
  const all = [
    ...[...libraries].map(([library, found]) => ({ ...library, tools: found })),
    { server: "", module: "", description: "", tools: [...asTools.keys()] },
  ];
  const { results } = await createSearch(all).find(query, match, { limit: tools.length + skills.length });
  return new Map(results.map(({ tool, score }) => [asTools.get(tool) ?? tool, score]));
}

function asTool({ name, description, tags, entry }: SkillSummary): Tool {
  const properties = Object.fromEntries(
    entry.parameters.map((parameter) => [parameter.name, { description: parameter.description ?? "" }]),
  );
  return { name, identifier: name, description: [description, ...tags].join(" "), inputSchema: { properties } };
}
