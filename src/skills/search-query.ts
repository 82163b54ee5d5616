const mostWords = 20;

/** What people ask as an expression of FTS5: any of the words, also as the beginning of one; undefined without a word. */
export function searchExpression(query: string): string | undefined {
  const words = query.slice(0, 1000).match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return undefined;
  return [...new Set(words)]
    .slice(0, mostWords)
    .map((word) => (word.length < 3 ? `"${word}"` : `"${word}" OR "${word}"*`))
    .join(" OR ");
}
