// Queries with the tools that answer them: our own, over real servers, and public sets over the tools that came with them.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";

/** Our own: one of the wanted tools is enough. */
export function ownQueries(libraries) {
  const known = new Set(libraries.flatMap(({ server, tools }) => tools.map(({ name }) => `${server}/${name}`)));
  const { "//": _note, ...halves } = JSON.parse(readFileSync(join(import.meta.dirname, "queries.json"), "utf8"));
  const all = Object.entries(halves).flatMap(([half, kinds]) =>
    Object.entries(kinds).flatMap(([kind, texts]) =>
      Object.entries(texts).map(([query, tools]) => ({ half, kind, query, wanted: new Set(tools.split(" ")) })),
    ),
  );
  const unknown = all.flatMap(({ wanted }) => [...wanted].filter((tool) => !known.has(tool)));
  if (unknown.length > 0) throw new Error(`the data lacks ${unknown.join(", ")}`);
  return all;
}

/** Public sets: <name>.json.gz with tools, and queries that want every tool that they name. */
export function* publicSets({ createLibrary }, folder) {
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json.gz"))) {
    const { tools, queries } = JSON.parse(gunzipSync(readFileSync(join(folder, file))));
    const servers = grouped(tools);
    const libraries = [...servers].map(([name, own], number) => {
      return createLibrary({ name }, { tools: own.map(asDefinition) }, `module_${number}`).library;
    });
    const asked = queries.map(({ query, gold }) => ({ query, wanted: new Set(gold) }));
    yield { name: basename(file, ".json.gz"), libraries, queries: asked };
  }
}

function grouped(tools) {
  const servers = new Map();
  for (const tool of tools) servers.set(tool.server, [...(servers.get(tool.server) ?? []), tool]);
  return servers;
}

function asDefinition({ name, description, params }) {
  const properties = Object.fromEntries(params.map(([key, text]) => [key, { type: "string", description: text }]));
  return { name, description, inputSchema: { type: "object", properties } };
}
