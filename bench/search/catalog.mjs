// The catalog's sources, which are pure, without the rest of the package: of this version or, by their folder, of another one.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";

/** What makes libraries and a search over them. A version without a table of word vectors searches without it. */
export async function loadCatalog(root) {
  const resolveDir = join(root, "src/catalog");
  const table = join(root, "data/search-table.bin");
  const parts = existsSync(table) ? ["search/search.ts", "search/word-vectors.ts"] : ["search.ts"];
  const contents = [...parts, "library.ts"].map((part) => `export * from "./${part}";`).join("\n");
  const options = { bundle: true, format: "esm", platform: "node", write: false };
  const { outputFiles } = await build({ stdin: { contents, resolveDir }, ...options });
  const source = Buffer.from(outputFiles[0].contents).toString("base64");
  const { createSearch, createLibrary, modules, readWordVectors } = await import(
    `data:text/javascript;base64,${source}`
  );
  const vectors = readWordVectors && memoized(() => readWordVectors(readFileSync(table)));
  return { createLibrary, modules, createSearch: (libraries) => createSearch(libraries, vectors) };
}

function memoized(make) {
  let made;
  return () => {
    made ??= make();
    return made;
  };
}

/** One library for each <server>.json of a folder. */
export function readLibraries({ createLibrary, modules }, folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const names = files.sort().map((file) => basename(file, ".json"));
  const moduleNames = modules(names);
  return names.map((name) => {
    const content = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
    const listing = { tools: Array.isArray(content) ? content : content.tools };
    return createLibrary({ name }, listing, moduleNames.get(name)).library;
  });
}
