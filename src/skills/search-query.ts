import { stopWords } from "../catalog/stop-words.ts";

const mostWords = 20;

/** What people ask as expressions of FTS5, each to be tried when those before find nothing: the words, their beginnings. */
export function searchExpressions(query: string): readonly string[] {
  const words = [
    ...new Set(
      query
        .slice(0, 1000)
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? [],
    ),
  ];
  const telling = words.filter((word) => !stopWords.has(word));
  const asked = (telling.length > 0 ? telling : words).slice(0, mostWords);
  if (asked.length === 0) return [];
  return [asked.map((word) => `"${word}"`).join(" OR "), asked.map((word) => `"${word}"*`).join(" OR ")];
}
