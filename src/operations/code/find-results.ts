import { local } from "../../actor.ts";
import { readPattern } from "../../catalog/pattern.ts";
import type { Match } from "../../catalog/search/search.ts";
import type { Library, Tool } from "../../catalog/tool.ts";
import type { Language } from "../../sandbox/engine.ts";
import type { SkillSummary } from "../../skills/skill-store.ts";
import type { ApiFunction } from "../guest-api.ts";
import type { OfferedTools } from "../policy/offered-tools.ts";
import type { Services } from "../services.ts";
import { findSkills } from "../skills/skills.ts";
import { fittingOwn, type RankedResult, rankResults } from "./rank-results.ts";
import type { FoundTool } from "./show-tools.ts";

/** What was found, best first. */
export interface Found {
  readonly results: readonly RankedResult[];
  /** The number found, before the limit. */
  readonly total: number;
  /** Whether none of them answers what was asked: they are only the nearest. */
  readonly isWeak: boolean;
  /** The bare names of the other tools of the first servers, and how many more they have. */
  readonly also: readonly { readonly server: string; readonly names: readonly string[] }[];
  readonly alsoLeftOut: number;
  /** How many tools were found that are not to be seen: the rules deny them. */
  readonly denied: number;
}

export interface Wanted {
  readonly query: string;
  readonly match: Match;
  readonly server?: string | undefined;
  readonly limit: number;
  /** Skills of this language only. */
  readonly language?: Language | undefined;
  /** What rules say of tools; absent where they say nothing. */
  readonly offered?: OfferedTools | undefined;
}

/** Functions of our own among the results of a search: as many as help, and no more. */
const mostApi = 3;

/** Tools; where no server was named, skills and functions of `coordinator` beside them. */
export async function findResults(services: Services, wanted: Wanted): Promise<Found> {
  const { query, match, limit, server } = wanted;
  const { results, total, isWeak, also, alsoLeftOut, denied } = await findTools(services, wanted);
  const more = { isWeak, also, alsoLeftOut, denied };
  if (server !== undefined) return { results, total, ...more };
  const skills = (await skillsFor(services, wanted)).map((skill) => ({ skill }));
  const api = services.api().map((one) => ({ api: one }));
  const own = [...skills, ...(await fittingOwn(query, match, api)).slice(0, mostApi)];
  const ranked = own.length > 0 ? await rankResults(query, match, isWeak ? [] : results, own, limit) : [];
  const shownApi = ranked.filter((one) => "api" in one).length;
  if (skills.length + shownApi === 0) return { results, total, ...more };
  return { ...more, results: ranked, total: (isWeak ? 0 : total) + skills.length + shownApi, isWeak: false };
}

/** So many times as many are looked at in the next turn, as long as too few of those that were found are to be seen. */
const widening = 8;

export async function findTools({ libraries }: Services, { query, match, server, limit, offered }: Wanted) {
  for (let most = limit; ; most *= widening) {
    const found = await libraries.search(query, match, { limit: most, ...(server !== undefined && { server }) });
    const { results: all, total, isWeak = false, also = [], alsoLeftOut = 0 } = found;
    const seen = offered ? seenTools(all, offered) : all;
    if (seen.length < limit && all.length >= most) continue;
    const denied = all.length - seen.length;
    const others = offered ? await seenNames(also, offered) : also;
    return { results: seen.slice(0, limit), total: total - denied, isWeak, also: others, alsoLeftOut, denied };
  }
}

/** Those that are to be seen, each with what rules say of it. */
export function seenTools(found: readonly FoundTool[], offered: OfferedTools): FoundTool[] {
  return found
    .filter(({ library, tool }) => !offered.isHidden(library.server, tool))
    .map((one) => ({ ...one, mark: offered.markOf(one.library.server, one.tool) }));
}

async function seenNames(also: Found["also"], offered: OfferedTools): Promise<Found["also"]> {
  const seen = also.map(async ({ server, names }) => ({ server, names: await offered.seen(server, names) }));
  return (await Promise.all(seen)).filter(({ names }) => names.length > 0);
}

async function skillsFor({ skills }: Services, { query, match, limit, language }: Wanted) {
  const found =
    readPattern(query) === undefined
      ? await findSkills(skills, query, limit, local)
      : (
          await fittingOwn(
            query,
            match,
            (await skills.store.list()).map((skill) => ({ skill })),
          )
        ).map(({ skill }) => skill);
  return found.filter((skill) => language === undefined || skill.language === language);
}

/** What was found, each tool with the type that its results were observed to have. */
export async function withObserved<Kind extends RankedResult>(
  { observations }: Services,
  found: readonly Kind[],
): Promise<Kind[]> {
  const known = new Map<Library, Map<string, Tool>>();
  for (const library of new Set(found.flatMap((one) => ("tool" in one ? [one.library] : [])))) {
    const { tools } = await observations.shown(library);
    known.set(library, new Map(tools.map((tool) => [tool.name, tool])));
  }
  return found.map((one) => {
    if (!("tool" in one)) return one;
    return { ...one, tool: known.get(one.library)?.get(one.tool.name) ?? one.tool };
  });
}

export function toolsIn(results: readonly RankedResult[]): FoundTool[] {
  return results.flatMap((one) => ("tool" in one ? [one] : []));
}

export function skillsIn(results: readonly RankedResult[]): SkillSummary[] {
  return results.flatMap((one) => ("skill" in one ? [one.skill] : []));
}

export function apiIn(results: readonly RankedResult[]): ApiFunction[] {
  return results.flatMap((one) => ("api" in one ? [one.api] : []));
}
