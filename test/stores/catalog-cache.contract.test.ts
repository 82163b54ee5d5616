import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CatalogCache } from "../../src/runtime/libraries/catalog-cache.ts";
import { createCatalogsInMemory } from "./in-memory/catalog-cache.ts";
import { openStores } from "./open-stores.ts";

// Every cache of catalogs keeps to this.

const implementations: [string, () => CatalogCache][] = [
  ["sqlite", () => openStores()().catalogs],
  ["in memory", createCatalogsInMemory],
];

const info = { name: "files", version: "1.0" };
const tools = [{ name: "read" }, { name: "write\0\ud800'; --", description: "__proto__" }];

beforeEach(() => void vi.useFakeTimers({ now: 5000, toFake: ["Date"] }));
afterEach(() => vi.useRealTimers());

describe.each(implementations)("a cache of catalogs, %s", (_implementation, open) => {
  test("an entry reads back whole, with the time it was written", async () => {
    const catalogs = open();
    await catalogs.write("hash1", { tools, info });
    expect(await catalogs.read(["hash1"])).toEqual(new Map([["hash1", { tools, info, fetchedAt: 5000 }]]));
    expect(await catalogs.read(["hash2"])).toEqual(new Map());
  });

  test("a later entry takes the place of the earlier one", async () => {
    const catalogs = open();
    await catalogs.write("hash1", { tools, info });
    vi.setSystemTime(6000);
    await catalogs.write("hash1", { tools: [], info: undefined });
    const beside = { info: null, fetchedAt: 6000 };
    expect(await catalogs.read(["hash1"])).toEqual(new Map([["hash1", { tools: [], ...beside }]]));
    expect(await catalogs.summaries(["hash1"])).toEqual(new Map([["hash1", { toolCount: 0, ...beside }]]));
  });

  test("many are read at once, and the unknown are left out", async () => {
    const catalogs = open();
    for (const identity of ["a", "b", "c"]) await catalogs.write(identity, { tools, info });
    const entry = { tools, info, fetchedAt: 5000 };
    const summary = { toolCount: 2, info, fetchedAt: 5000 };
    expect(await catalogs.read(["a", "__proto__", "c"])).toEqual(new Map(["a", "c"].map((name) => [name, entry])));
    expect(await catalogs.summaries(["c", "x", "b"])).toEqual(new Map(["b", "c"].map((name) => [name, summary])));
    expect([await catalogs.read([]), await catalogs.summaries(new Set())]).toEqual([new Map(), new Map()]);
  });

  test("a write answers with the tools that it replaces, if those were others", async () => {
    const catalogs = open();
    expect(await catalogs.write("a", { tools, info })).toBeUndefined();
    expect(await catalogs.write("a", { tools, info: "other" })).toBeUndefined();
    expect(await catalogs.write("a", { tools: [1], info })).toEqual(tools);
    expect(await catalogs.write("a", { tools: [], info })).toEqual([1]);
    expect(await catalogs.write("b", { tools: [], info })).toBeUndefined();
  });

  test("what was written is kept as it was then", async () => {
    const catalogs = open();
    const changing = [{ name: "read" }];
    await catalogs.write("a", { tools: changing, info });
    changing.push({ name: "write" });
    expect((await catalogs.read(["a"])).get("a")?.tools).toEqual([{ name: "read" }]);
  });

  test("a digest is read without the tools, and goes with the tools that it is of", async () => {
    const catalogs = open();
    const digest = Uint8Array.of(0, 255, 7);
    await catalogs.write("a", { tools, info, digest });
    await catalogs.write("b", { tools, info });
    const bytesOf = async (identity: string) => {
      const found = (await catalogs.digests(["a", "b", "unknown"])).get(identity);
      return found && { ...found, ...(found.digest && { digest: [...found.digest] }) };
    };
    expect(await bytesOf("a")).toEqual({ info, fetchedAt: 5000, digest: [0, 255, 7] });
    expect(await bytesOf("b")).toEqual({ info, fetchedAt: 5000 });
    expect(await bytesOf("unknown")).toBeUndefined();
    await catalogs.keepDigest("b", 4999, digest);
    await catalogs.keepDigest("unknown", 5000, digest);
    expect([await bytesOf("b"), await bytesOf("unknown")]).toEqual([{ info, fetchedAt: 5000 }, undefined]);
    await catalogs.keepDigest("b", 5000, digest);
    expect(await bytesOf("b")).toEqual({ info, fetchedAt: 5000, digest: [0, 255, 7] });
    await catalogs.write("a", { tools: [], info });
    expect(await bytesOf("a")).toEqual({ info, fetchedAt: 5000 });
  });

  test("one tool is read by its position", async () => {
    const catalogs = open();
    await catalogs.write("a", { tools, info });
    expect([await catalogs.tool("a", 0), await catalogs.tool("a", 1)]).toEqual(tools);
    expect([await catalogs.tool("a", 2), await catalogs.tool("unknown", 0)]).toEqual([undefined, undefined]);
  });

  test("touching an entry changes nothing of it, and makes none", async () => {
    const catalogs = open();
    await catalogs.write("a", { tools, info });
    vi.setSystemTime(5000 + 60 * 24 * 60 * 60 * 1000);
    await catalogs.touch(["a", "unknown"]);
    expect(await catalogs.read(["a", "unknown"])).toEqual(new Map([["a", { tools, info, fetchedAt: 5000 }]]));
  });
});
