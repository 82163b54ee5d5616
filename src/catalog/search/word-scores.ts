import { concepts } from "./query.ts";
import { createScores, type SearchIndex } from "./search-index.ts";

/** How well tools answer a query by its words. */
export interface WordScores {
  /** By number of the tool; 0 for one that has none of the words. */
  readonly values: Float64Array;
  /** What a tool would score that answers all of it in every way. */
  readonly most: number;
}

const synonymFactor = 0.3;
const mostClauses = 8;
const shortestClause = 3;

/** A request of several sentences may want a tool for each: what answers one of them well counts as much as what answers the whole. */
export function scoreWords(query: string, index: SearchIndex, count: number): WordScores {
  const whole = scoreSentence(query, index, count);
  const clauses = clausesOf(query);
  if (clauses.length === 0) return whole;
  const best = new Float64Array(index.size);
  for (const clause of clauses) {
    const { values } = scoreSentence(clause, index, count);
    const highest = highestOf(values);
    for (let tool = 0; tool < best.length; tool++)
      best[tool] = Math.max(best[tool] ?? 0, (values[tool] ?? 0) / highest);
  }
  const highest = highestOf(whole.values);
  return { ...whole, values: whole.values.map((score, tool) => score / highest + (best[tool] ?? 0)) };
}

/** The sentences of a request that are long enough to ask for something; none where it is a single one. */
export function clausesOf(query: string): string[] {
  const sentences = query.split(/[.!?;]\s+|[.!?;]$|\n/).map((sentence) => sentence.trim());
  const clauses = sentences.filter((sentence) => sentence.split(/\s+/).length >= shortestClause);
  return clauses.length < 2 ? [] : clauses.slice(0, mostClauses);
}

/** Rare words weigh more, and so does answering more of what was asked. */
function scoreSentence(query: string, index: SearchIndex, count: number): WordScores {
  const { size } = index;
  const sums = new Float64Array(size);
  const answered = new Float64Array(size);
  const best = createScores(size);
  let [asked, unknown] = [0, 0];
  for (const { word, alternatives } of concepts(query, index.isKnown)) {
    best.values.fill(0);
    best.found = 0;
    index.lookUpLoosely(word, best);
    const owners = best.found;
    for (const alternative of alternatives) index.lookUp(alternative, best, synonymFactor);
    // By the asker's own word: common synonyms do not make a rare one count less.
    const rarity = Math.log((count + 1) / ((owners || best.found) + 0.5));
    if (best.found > 0) asked += rarity;
    else unknown += rarity;
    for (let tool = 0; tool < size; tool++) {
      const fit = best.values[tool] ?? 0;
      if (fit === 0) continue;
      sums[tool] = (sums[tool] ?? 0) + fit * rarity;
      answered[tool] = (answered[tool] ?? 0) + rarity;
    }
  }
  const values = sums.map((sum, tool) => (sum === 0 ? 0 : sum * Math.sqrt((answered[tool] ?? 0) / asked)));
  return { values, most: asked + unknown };
}

function highestOf(values: Float64Array): number {
  return values.reduce((highest, value) => Math.max(highest, value), 0) || 1;
}
