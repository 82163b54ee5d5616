import { stopWords } from "../catalog/search/stop-words.ts";

const mostWords = 20;

/** The words of what people ask that tell something: letters and digits only, so that no store takes one for a sign of its own. */
export function searchWords(query: string): readonly string[] {
  const words = [
    ...new Set(
      query
        .slice(0, 1000)
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? [],
    ),
  ];
  const telling = words.filter((word) => !stopWords.has(word));
  return (telling.length > 0 ? telling : words).slice(0, mostWords);
}
