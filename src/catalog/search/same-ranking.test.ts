import { expect, test } from "vitest";
import { createLibrary } from "../library.ts";
import type { Library } from "../tool.ts";
import { plainSearch } from "./plain-search.fixture.ts";
import { createSearch } from "./search.ts";
import { digestTools, packDigest, unpackDigest } from "./search-digest.ts";
import { nameSimilarity, similarityTo } from "./similar-names.ts";
import { createToolSearch } from "./tool-search.ts";

const random = createRandom(20261118);
const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;
const some = (most: number, make: () => string): string =>
  Array.from({ length: 1 + random(most) }, make)
    .join(" ")
    .trim();

const verbs = "get list create update delete search send read write move run merge fetchAll re-open".split(" ");
const things =
  "file folder issue user message branch page chart table query screenshot database repo 文件 página".split(" ");
const fillers = "of the given all by name issues files users created reading messages url_path maxResults k8s".split(
  " ",
);
const word = () => pick([...verbs, ...things, ...fillers]);

const libraries: Library[] = Array.from({ length: 25 }, (_, server) => {
  const name = `${pick(things)}${pick(["-", "_", ".", ""])}${server}`;
  const tools = Array.from({ length: random(12) }, () => ({
    name: `${pick(verbs)}${pick(["_", "-", ""])}${pick(things)}${pick(["", "", "_all", "-"])}`,
    ...(random(4) === 0 && { title: some(3, word) }),
    description: `${some(9, word)}. ${some(30, word)}`,
    inputSchema: {
      properties: Object.fromEntries(
        some(6, word)
          .split(" ")
          .map((key) => [key, { description: some(4, word) }]),
      ),
    },
  }));
  return createLibrary({ name, description: some(4, word) }, { tools }, `module_${server}`).library;
});

const slip = (text: string) => {
  const at = random(text.length);
  return text.slice(0, at) + pick(["", "x", text[at + 1] ?? ""]) + text.slice(at + 1);
};
const tools = libraries.flatMap((library) => library.tools.map((tool) => ({ library, tool })));
const queries = [
  ...Array.from({ length: 120 }, () => some(6, word)),
  ...Array.from({ length: 40 }, () => `${some(6, word)}. ${some(6, word)}; ${some(6, word)}.`),
  ...Array.from({ length: 60 }, () => slip(some(2, word))),
  ...Array.from({ length: 40 }, () => {
    const { library, tool } = pick(tools);
    return pick([
      tool.name,
      tool.name.toUpperCase(),
      `${library.server}.${tool.name}`,
      `${library.module} ${tool.identifier}`,
      `${tool.name} ${pick(tools).tool.name}`,
      `please call ${tool.name}, then ${pick(tools).tool.name}`,
    ]);
  }),
  "",
  "?!",
  "zzzzzzzz",
];

test.each(queries.map((query) => [query]))("%j is answered as the plain search answers it", (query) => {
  const { results, total } = createSearch(libraries).search(query, { limit: 1000 });
  const expected = plainSearch(libraries, query);
  expect(results.map(({ library, tool, score }) => [`${library.server}.${tool.name}`, score])).toEqual(expected);
  expect(total).toBe(expected.length);
  const first = createSearch(libraries).search(query, { limit: 3 });
  expect(first.results).toEqual(results.slice(0, 3));
  expect(first.isWeak ? expected.length : first.total).toBe(expected.length);
});

test("the names most like a query are those of a look at every name", () => {
  const search = searchOf(libraries, () => true);
  for (const query of queries) {
    const similarity = similarityTo(query);
    const all = tools.map(({ library, tool }) => ({
      tool: `${libraries.indexOf(library)}.${tool.name}`,
      similarity: nameSimilarity(tool.name, similarity),
    }));
    const expected = all
      .filter((one) => one.similarity > 0)
      .toSorted((left, right) => right.similarity - left.similarity)
      .slice(0, 5)
      .map((one) => one.tool);
    const found = search.similar(query, Array.from(libraries.keys(), String), 5);
    expect(found.map(({ key, name }) => `${key}.${name}`)).toEqual(expected);
  }
});

test("so it is in one library, and where tools are left out", () => {
  const [, , third] = libraries;
  const isAllowed = (tool: string) => !tool.startsWith("get");
  const allowed = libraries.map((library) => ({
    ...library,
    tools: library.tools.filter(({ name }) => isAllowed(name)),
  }));
  const search = searchOf(libraries, isAllowed);
  for (const query of queries) {
    const one = createSearch(libraries).search(query, { server: third?.server ?? "", limit: 1000 });
    expect(one.results.map(({ tool, score }) => [`${third?.server}.${tool.name}`, score])).toEqual(
      plainSearch(libraries, query, third?.server),
    );
    expect(found(search, query)).toEqual(plainSearch(allowed, query));
  }
});

test("so it is after libraries were replaced and taken out", () => {
  const search = searchOf(libraries, () => true);
  const gone = new Set([1, 2, 7]);
  const others = libraries.map((library, key) => {
    if (key % 5 !== 0) return library;
    return { ...library, description: "others", tools: libraries[(key + 3) % libraries.length]?.tools ?? [] };
  });
  for (const [key, library] of others.entries()) {
    if (key % 5 === 0) put(search, key, library, () => true);
  }
  search.drop(Array.from(gone, String));
  const left = others.filter((_, key) => !gone.has(key));
  for (const query of queries) expect(found(search, query, others)).toEqual(plainSearch(left, query));
});

function searchOf(all: readonly Library[], isAllowed: (tool: string) => boolean) {
  const search = createToolSearch();
  for (const [key, library] of all.entries()) put(search, key, library, isAllowed);
  return search;
}

function put(
  search: ReturnType<typeof createToolSearch>,
  key: number,
  library: Library,
  isAllowed: (tool: string) => boolean,
): void {
  const digest = unpackDigest(packDigest(digestTools(library.tools)));
  if (!digest) throw new Error("what was packed cannot be unpacked");
  search.put(String(key), { ...library, digest, isAllowed });
}

function found(search: ReturnType<typeof createToolSearch>, query: string, all = libraries): [string, number][] {
  const { matches } = search.search(query, Array.from(all.keys(), String), 1000);
  return matches.map(({ key, position, name, identifier, score }) => {
    const library = all[Number(key)];
    expect(library?.tools[position]).toMatchObject({ name, identifier });
    return [`${library?.server}.${name}`, score];
  });
}

/** The same numbers at every run. */
function createRandom(start: number): (below: number) => number {
  let seed = start;
  return (below) => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };
}
