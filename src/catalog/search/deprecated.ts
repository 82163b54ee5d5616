import type { Library, Tool } from "../tool.ts";

interface Found {
  readonly library: Pick<Library, "server">;
  readonly tool: Pick<Tool, "name" | "description">;
  readonly score: number;
}

/** A tool that its server calls deprecated comes behind those that its description names instead, and behind its equals. */
export function deprecatedLast<Result extends Found>(results: readonly Result[]): Result[] {
  const sorted = [...results];
  for (const result of results.filter(isDeprecated)) {
    const words = new Set(result.tool.description.match(/[\w-]+/g));
    const before = sorted.findLastIndex(
      (other) =>
        other !== result &&
        other.library.server === result.library.server &&
        (words.has(other.tool.name) || (other.score === result.score && !isDeprecated(other))),
    );
    const at = sorted.indexOf(result);
    if (before <= at) continue;
    sorted.splice(at, 1);
    sorted.splice(before, 0, result);
  }
  return sorted;
}

function isDeprecated({ tool }: Found): boolean {
  const description = tool.description.slice(0, 500);
  return (
    /\bDEPRECATED\b/.test(description) || /^\W{0,10}deprecated\b|\b(?:deprecated:|is deprecated)/i.test(description)
  );
}
