import { expect, test } from "vitest";
import { createCatalogsInMemory } from "../../../test/stores/in-memory/catalog-cache.ts";
import { matchPattern } from "../../catalog/pattern.ts";
import { readTools } from "../../catalog/read-tools.ts";
import { createSearch } from "../../catalog/search/search.ts";
import { digestTools, packDigest } from "../../catalog/search/search-digest.ts";
import type { ServerConfig } from "../../config/server.ts";
import type { CatalogCache } from "./catalog-cache.ts";
import { createConfiguredServers, serverIdentity } from "./configured-servers.ts";
import { createLibrarySearch } from "./library-search.ts";

const config = (name: string, more: Partial<Pick<ServerConfig, "description" | "tools">> = {}): ServerConfig => ({
  ...{ transport: "stdio", name, command: name, args: [], env: {}, tools: { allow: [], deny: [] } },
  ...more,
});
const match = async (pattern: string, texts: readonly (readonly string[])[]) => matchPattern(pattern, texts);
const noTool = () => undefined;

/** A cache that has these tools of each server, as `names` of one word each. */
async function cacheOf(listings: Record<string, readonly string[]>, keep: "digests" | "tools" = "digests") {
  const cache = createCatalogsInMemory();
  for (const [name, tools] of Object.entries(listings)) await write(cache, name, tools, keep);
  return cache;
}

async function write(
  cache: CatalogCache,
  server: string,
  names: readonly string[],
  keep: "digests" | "tools" = "digests",
) {
  const { tools } = readTools(names.map((name) => ({ name, description: `Does ${name} at once` })));
  const digest = packDigest(digestTools(tools));
  await cache.write(serverIdentity(config(server)), { tools, info: {}, ...(keep === "digests" && { digest }) });
}

function searchOver(cache: CatalogCache, ...configured: readonly ServerConfig[]) {
  const servers = createConfiguredServers();
  servers.update(configured);
  const search = createLibrarySearch({ servers, cache, peek: noTool });
  const found = async (query: string, options = {}) => {
    const { results } = await search.find(query, match, options);
    return results.map(({ library, tool }) => `${library.server}.${tool.name}`);
  };
  return { search, servers, found };
}

test("what the cache has is found, with its definitions, and of one library as such", async () => {
  const cache = await cacheOf({ one: ["read_file", "write-file"], two: ["send_mail"] });
  const { search } = searchOver(cache, config("one", { description: "files" }), config("two"), config("three"));
  const { results, total } = await search.find("write a file", match);
  expect([total, results[1]?.library]).toEqual([2, results[0]?.library]);
  expect(results[1]?.library).toBe(results[0]?.library);
  expect(results[0]).toMatchObject({
    library: {
      server: "one",
      module: "one",
      description: "files",
      tools: [{ name: "write-file" }, { name: "read_file" }],
    },
    tool: { name: "write-file", identifier: "write_file", description: "Does write-file at once" },
  });
  expect([search.has("one"), search.has("two"), search.has("three")]).toEqual([true, true, false]);
  expect(search.names()).toEqual([
    { server: "one", names: ["read_file", "write-file"] },
    { server: "two", names: ["send_mail"] },
  ]);
});

test("a search that comes while the cache is read finds everything, in the order of a search over it all", async () => {
  const names = Array.from({ length: 120 }, (_, number) => `server-${number}`);
  const listings = Object.fromEntries(names.map((name, number) => [name, [`get_${number}`, "send_mail", "get_mail"]]));
  const cache = await cacheOf(listings);
  const { search, found } = searchOver(cache, ...names.map((name) => config(name)));
  void search.ready();
  const early = await found("get mail", { limit: 200 });
  const libraries = await Promise.all(
    names.map(async (server) => {
      const entry = (await cache.read([serverIdentity(config(server))])).values().next().value;
      return { server, module: server.replace("-", "_"), description: "", tools: readTools(entry?.tools).tools };
    }),
  );
  const whole = createSearch(libraries).search("get mail", { limit: 200 });
  expect(early).toEqual(whole.results.map(({ library, tool }) => `${library.server}.${tool.name}`));
});

test("tools that the configuration denies are neither found nor named", async () => {
  const cache = await cacheOf({ one: ["read_file", "write_file"] });
  const denying = config("one", { tools: { allow: [], deny: ["write*"] } });
  const { search, found } = searchOver(cache, denying);
  expect([await found("file"), await found("write_file"), await found("/file/")]).toEqual([
    ["one.read_file"],
    ["one.read_file"],
    ["one.read_file"],
  ]);
  expect(search.names()).toEqual([{ server: "one", names: ["read_file"] }]);
});

test("what was kept without a digest gets one", async () => {
  const cache = await cacheOf({ one: ["read_file"] }, "tools");
  const identity = serverIdentity(config("one"));
  await cache.write("damaged", { tools: [], info: {} });
  expect((await cache.digests([identity])).get(identity)?.digest).toBeUndefined();
  expect(await searchOver(cache, config("one")).found("read")).toEqual(["one.read_file"]);
  expect((await cache.digests([identity])).get(identity)?.digest).toBeDefined();
});

test("what another process has heard of a server since is found too", async () => {
  const cache = await cacheOf({ one: ["read_file", "old_file"], two: ["send_mail"] });
  const { found } = searchOver(cache, config("one"), config("two"));
  expect(await found("old file")).toContain("one.old_file");
  await write(cache, "one", ["new_file"]);
  expect(await found("file")).toEqual(["one.new_file"]);
});

test("one that lists other tools, or is gone, leaves the others as they are", async () => {
  const cache = await cacheOf({ one: ["read_file"], two: ["send_mail"] });
  const { search, servers, found } = searchOver(cache, config("one"), config("two"));
  await search.ready();
  const [first] = servers.all();
  if (!first) throw new Error("no server");
  await write(cache, "one", ["draw_chart"]);
  search.put(first, digestTools(readTools([{ name: "draw_chart" }]).tools), {});
  expect([await found("file"), await found("chart"), await found("mail")]).toEqual([
    [],
    ["one.draw_chart"],
    ["two.send_mail"],
  ]);
  search.forget(servers.update([config("two")]));
  expect([await found("chart"), await found("mail")]).toEqual([[], ["two.send_mail"]]);
  search.forget(servers.update([config("two"), config("one")]));
  expect(await found("chart")).toEqual(["one.draw_chart"]);
});

test("a pattern is tried on the tools of all servers, a part at a time", async () => {
  const names = Array.from({ length: 120 }, (_, number) => `server-${number}`);
  const cache = await cacheOf(Object.fromEntries(names.map((name, number) => [name, [`tool_${number}`]])));
  const { search } = searchOver(cache, ...names.map((name) => config(name)));
  const sizes: number[] = [];
  const { results, total } = await search.find("/^tool_\\d\\d$/", async (pattern, texts) => {
    sizes.push(texts.length);
    return matchPattern(pattern, texts);
  });
  expect({ total, shown: results.length, sizes }).toEqual({ total: 90, shown: 20, sizes: [50, 50, 20] });
});
