import { allowed } from "../../catalog/glob.ts";
import { noneNamed } from "../../catalog/search/also-named.ts";
import type { ToolMatch, ToolMatches } from "../../catalog/search/rank-tools.ts";
import type { Match } from "../../catalog/search/search.ts";
import { patternTexts } from "../../catalog/search/search-text.ts";
import type { Tool } from "../../catalog/tool.ts";
import { createThreadYield } from "../../system/thread-yield.ts";
import type { CatalogCache } from "./catalog-cache.ts";
import type { ConfiguredServer } from "./configured-servers.ts";

/** Servers whose definitions are in memory for it at a time. */
const readAtATime = 50;

interface Asked {
  readonly servers: readonly ConfiguredServer[];
  readonly cache: CatalogCache;
  readonly limit: number;
}

/** The tools that a regular expression fits, by where it fits first: the name, the title and description, the parameters. */
export async function matchTools(
  pattern: string,
  match: Match,
  { servers, cache, limit }: Asked,
): Promise<ToolMatches> {
  const matches: ToolMatch[] = [];
  const pause = createThreadYield();
  for (let start = 0; start < servers.length; start += readAtATime) {
    const candidates: Omit<ToolMatch, "score">[] = [];
    const texts: string[][] = [];
    for (const { name: key, identity, config } of servers.slice(start, start + readAtATime)) {
      await pause();
      // They were read before they were kept; to do so again would take longer than all else.
      const tools = ((await cache.read([identity])).get(identity)?.tools ?? []) as readonly Tool[];
      for (const [position, tool] of tools.entries()) {
        if (!allowed(tool.name, config.tools)) continue;
        candidates.push({ key, name: tool.name, identifier: tool.identifier, position });
        texts.push(patternTexts(key, tool));
      }
    }
    for (const [number, place] of (await match(pattern, texts)).entries()) {
      const candidate = candidates[number];
      if (candidate && place >= 0) matches.push({ ...candidate, score: 1 / (place + 1) });
    }
  }
  const sorted = matches.sort((left, right) => right.score - left.score);
  return { matches: sorted.slice(0, limit), total: sorted.length, isWeak: false, ...noneNamed };
}
