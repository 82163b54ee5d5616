import { createSearch, type Match } from "../../catalog/search/search.ts";
import type { Library, Tool } from "../../catalog/tool.ts";
import { searchTable } from "../../runtime/libraries/search-table.ts";
import type { SkillSummary } from "../../skills/skill-store.ts";
import type { ApiFunction } from "../guest-api.ts";
import type { FoundTool } from "./show-tools.ts";

/** One result of a search: a tool of a server, a skill, or a function of `coordinator`. */
export type RankedResult = FoundTool | { readonly skill: SkillSummary } | { readonly api: ApiFunction };

type Own = Exclude<RankedResult, FoundTool>;

/** A function of `coordinator` that fits less well than this share of the best is noise to a model that looks for a tool. */
const leastApiShare = 0.5;

/**
 * So many of the tools, skills and functions that were found for a query, each in their order: tools and skills with the best first,
 * then functions, without those that fit far worse than the best.
 */
export async function rankResults(
  query: string,
  match: Match,
  tools: readonly FoundTool[],
  own: readonly Own[],
  limit: number,
): Promise<RankedResult[]> {
  const scores = await jointScores(query, match, tools, own);
  const scoreOf = (one: RankedResult): number => scores.get(one) ?? 0;
  const leastApi = Math.max(0, ...scores.values()) * leastApiShare;
  const api = own.filter((one) => "api" in one && scoreOf(one) >= leastApi);
  const merged: RankedResult[] = [];
  let next = 0;
  for (const skill of own.filter((one) => "skill" in one)) {
    while (next < tools.length && scoreOf(tools[next] as FoundTool) > scoreOf(skill))
      merged.push(...tools.slice(next, ++next));
    merged.push(skill);
  }
  return [...[...merged, ...tools.slice(next)].slice(0, Math.max(1, limit - api.length)), ...api].slice(0, limit);
}

/** Those of our own that the query fits well, best first, as it would fit tools. */
export async function fittingOwn<Kind extends Own>(
  query: string,
  match: Match,
  own: readonly Kind[],
): Promise<readonly Kind[]> {
  const tools = new Map<Tool, Kind>(own.map((one) => [asTool(one), one]));
  const library = { server: "", module: "", description: "", tools: [...tools.keys()] };
  const { results, isWeak } = await createSearch([library], searchTable).find(query, match, { limit: own.length });
  return isWeak ? [] : results.flatMap(({ tool }) => tools.get(tool) ?? []);
}

/** The score of each among all of them, by one measure: that of the search over tools. */
async function jointScores(
  query: string,
  match: Match,
  tools: readonly FoundTool[],
  own: readonly Own[],
): Promise<ReadonlyMap<RankedResult, number>> {
  const libraries = new Map<Library, Tool[]>();
  for (const { library, tool } of tools) libraries.set(library, [...(libraries.get(library) ?? []), tool]);
  const asTools = new Map<Tool, RankedResult>(own.map((one) => [asTool(one), one]));
  const all = [
    ...[...libraries].map(([library, found]) => ({ ...library, tools: found })),
    { server: "", module: "", description: "", tools: [...asTools.keys()] },
  ];
  for (const found of tools) asTools.set(found.tool, found);
  const { results } = await createSearch(all).find(query, match, { limit: tools.length + own.length });
  return new Map(results.flatMap(({ tool, score }) => [[asTools.get(tool) as RankedResult, score]]));
}

function asTool(own: Own): Tool {
  if ("api" in own) return { ...own.api.tool };
  const { name, description, tags, entry } = own.skill;
  const properties = Object.fromEntries(
    entry.parameters.map((parameter) => [parameter.name, { description: parameter.description ?? "" }]),
  );
  return { name, identifier: name, description: [description, ...tags].join(" "), inputSchema: { properties } };
}
