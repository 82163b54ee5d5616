// The search that anybody would write first: Okapi BM25 over name, description and parameters, one bag of words a tool.
const saturation = 1.2;
const lengthInfluence = 0.75;

export function createBm25(libraries) {
  const tools = libraries.flatMap((library) => library.tools.map((tool) => ({ library, tool })));
  const bags = tools.map(({ library, tool }) => bagOf(textOf(library, tool)));
  const averageLength = bags.reduce((sum, { length }) => sum + length, 0) / bags.length;
  const owners = new Map();
  for (const { counts } of bags) for (const word of counts.keys()) owners.set(word, (owners.get(word) ?? 0) + 1);

  const score = (query, { counts, length }) => {
    let sum = 0;
    for (const word of new Set(wordsOf(query))) {
      const count = counts.get(word) ?? 0;
      const having = owners.get(word) ?? 0;
      const rarity = Math.log(1 + (bags.length - having + 0.5) / (having + 0.5));
      const norm = saturation * (1 - lengthInfluence + (lengthInfluence * length) / averageLength);
      sum += (rarity * count * (saturation + 1)) / (count + norm);
    }
    return sum;
  };
  return (query, limit) =>
    tools
      .map((entry, number) => ({ ...entry, score: score(query, bags[number]) }))
      .filter((entry) => entry.score > 0)
      .sort((left, right) => right.score - left.score)
      .slice(0, limit);
}

function textOf({ server }, { name, description, inputSchema }) {
  return [server, name, description, ...Object.keys(inputSchema.properties ?? {})].join(" ");
}

function bagOf(text) {
  const words = wordsOf(text);
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, length: words.length };
}

function wordsOf(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
