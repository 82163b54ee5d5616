/** Nobody mistypes a longer word: it was copied, or made by a program. */
const longestWord = 40;
/** Steps of one search, about a millisecond: guests choose both the word and thousands of candidates. */
const mostSteps = 200_000;

/** The candidate closest to `word` by edits, for "did you mean"; undefined when none is close enough to be a slip. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > longestWord) return undefined;
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  let steps = 0;
  for (const candidate of candidates) {
    if (++steps > mostSteps) break;
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const compared = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    steps += compared.steps;
    if (compared.distance < bestDistance) {
      best = candidate;
      bestDistance = compared.distance;
    }
  }
  return best;
}

/** Edits (insert, delete, replace, swap of neighbours) between two words; `limit` or more is answered as `limit`. */
function editDistance(left: string, right: string, limit: number): { distance: number; steps: number } {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      let cost = Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      if (row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) {
        cost = Math.min(cost, (beforePrevious[column - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    // A swap reaches over one row: only two rows above the limit cannot come below it again.
    if (current.every((cost) => cost >= limit) && previous.every((cost) => cost >= limit)) {
      return { distance: limit, steps: row * right.length };
    }
    beforePrevious = previous;
    previous = current;
  }
  return { distance: Math.min(limit, previous[right.length] ?? limit), steps: left.length * right.length };
}
