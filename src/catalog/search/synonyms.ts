import { stem } from "./words.ts";

/** By stem: words that tools and people use for the same thing. Common words of all fields; names of products have no place here. */
export const synonyms: ReadonlyMap<string, readonly string[]> = synonymTable([
  "get fetch read retrieve show view display load obtain",
  "list show enumerate",
  "delete remove drop erase destroy clear forget",
  "create add new make insert generate open",
  "update edit modify change set patch",
  "find search query lookup locate discover",
  "send post publish submit notify",
  "run execute invoke perform start",
  "undo revert reset restore rollback",
  "watch monitor track observe",
  "remember memory store save",
  "directory folder dir",
  "database db",
  "repository repo",
  "environment env",
  "configuration config settings",
  "kubernetes k8s",
  "image picture photo",
  "issue ticket bug",
  "website webpage site page web",
  "url link",
  "rename move",
  "chart graph plot diagram visualize draw",
  "documentation docs manual guide",
  "error exception failure crash problem",
  "person people user member contact",
  "size big large storage stats",
  "height high altitude elevation",
  "performance speed slow fast latency",
  "copy clone duplicate",
  "compare diff difference",
  "history log past",
  "count number total amount",
  "validate verify check test",
  "upload attach",
  "download export",
  "convert transform",
  "stop end cancel abort kill",
  "place location address",
  "email mail",
  "replay recording",
  "cluster kubernetes",
]);

function synonymTable(groups: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const table = new Map<string, string[]>();
  for (const group of groups) {
    const words = group.split(" ");
    for (const word of words) {
      table.set(stem(word), [...(table.get(stem(word)) ?? []), ...words.filter((other) => other !== word)]);
    }
  }
  return table;
}
