import type { Library, Tool } from "../tool.ts";

interface Found {
  readonly library: Pick<Library, "server">;
  readonly tool: Pick<Tool, "name" | "description">;
  readonly score: number;
}

/** A tool that its server calls deprecated comes last where one is found that its description names instead, else behind its equals. */
export function deprecatedLast<Result extends Found>(results: readonly Result[]): Result[] {
  const sorted = [...results];
  for (const result of results.filter(isDeprecated)) {
    const words = new Set(result.tool.description.match(/[\w-]+/g));
    const others = sorted.filter((other) => other !== result && other.library.server === result.library.server);
    const at = sorted.indexOf(result);
    const isReplaced = others.some((other) => words.has(other.tool.name));
    const equal = sorted.findLastIndex(
      (other) => others.includes(other) && other.score === result.score && !isDeprecated(other),
    );
    const to = isReplaced ? sorted.length - 1 : equal;
    if (to <= at) continue;
    sorted.splice(at, 1);
    sorted.splice(to, 0, result);
  }
  return sorted;
}

function isDeprecated({ tool }: Found): boolean {
  const description = tool.description.slice(0, 500);
  return (
    /\bDEPRECATED\b/.test(description) || /^\W{0,10}deprecated\b|\b(?:deprecated:|is deprecated)/i.test(description)
  );
}
