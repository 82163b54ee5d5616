import { afterEach, describe, expect, test, vi } from "vitest";
import type { MemoryStore } from "../../src/memory/memory-store.ts";
import { createMemoryInMemory, memoryEntries } from "./in-memory/memory-store.ts";
import { openStores } from "./open-stores.ts";

// Every memory keeps to this.

afterEach(() => vi.useRealTimers());

/** Opens the memory of an owner; all of one test share what is kept. */
type Owners = (principal?: string) => MemoryStore;

const implementations: [string, (most?: number) => Owners][] = [
  [
    "sqlite",
    (most) => {
      const open = openStores(most === undefined ? {} : { memoryBytes: most });
      return (principal) => open(principal).memory;
    },
  ],
  [
    "in memory",
    (most) => {
      const entries = memoryEntries();
      return (principal) => createMemoryInMemory({ entries, ...(principal && { principal }), ...(most && { most }) });
    },
  ],
];

const key = { namespace: "default", key: "a" };
const valueIn = (entry: { readonly json: string } | undefined): unknown => entry && JSON.parse(entry.json);
const conflict = (message = "") =>
  expect.objectContaining({ code: "memory_conflict", message: expect.stringContaining(message) });
const refused = expect.objectContaining({ code: "input_invalid" });
const full = expect.objectContaining({ code: "storage_full", message: expect.stringContaining("Nothing was written") });

describe.each(implementations)("a memory, %s", (_implementation, owners) => {
  describe("an entry", () => {
    test("keeps its value, metadata and first moment over writes, and gets a new revision by each", async () => {
      vi.useFakeTimers({ now: 1000, toFake: ["Date"] });
      const memory = owners()();
      const first = await memory.set({ ...key, value: { n: [1, null, "é\0"] }, metadata: { from: "test" } });
      expect(first).toMatchObject({ ...key, created: new Date(1000).toISOString(), updated: first.created });
      vi.setSystemTime(2000);
      const second = await memory.set({ ...key, value: 2 });
      expect(await memory.get(key)).toEqual({ ...second, json: "2" });
      expect(second).toMatchObject({
        created: first.created,
        updated: new Date(2000).toISOString(),
        metadata: { from: "test" },
      });
      expect(second.revision).toBeGreaterThan(first.revision);
    });

    test("has the metadata that it was last given", async () => {
      const memory = owners()();
      await memory.set({ ...key, value: 1, metadata: { from: "test" } });
      expect(await memory.set({ ...key, value: 1, metadata: {} })).toMatchObject({ metadata: {} });
      expect(await memory.set({ ...key, key: "b", value: 1 })).not.toHaveProperty("metadata");
    });

    test("comes back exactly, whatever text it has", async () => {
      const memory = owners()();
      const value = { "": "\0\ud800 ", list: [0, -0.5, 1e300, true, null], ключ: {} };
      const odd = { ...key, key: "any key, with ключ / and '\"" };
      await memory.set({ ...odd, value });
      expect(valueIn(await memory.get(odd))).toEqual(value);
    });

    test("is written over the revision that was asked for, and over no other", async () => {
      const memory = owners()();
      const { revision } = await memory.set({ ...key, value: 1, ifRevision: 0 });
      await expect(memory.set({ ...key, value: 2, ifRevision: 0 })).rejects.toThrow(conflict("asked for a free key"));
      await memory.set({ ...key, value: 3, ifRevision: revision });
      await expect(memory.set({ ...key, value: 4, ifRevision: revision })).rejects.toThrow(conflict());
      await expect(memory.set({ ...key, key: "b", value: 4, ifRevision: 1 })).rejects.toThrow(conflict("is not there"));
      expect(valueIn(await memory.get(key))).toBe(3);
    });

    test("that was deleted and made again is not taken for the old one", async () => {
      const memory = owners()();
      const { revision } = await memory.set({ ...key, value: 1 });
      expect([await memory.delete(key), await memory.delete(key)]).toEqual([true, false]);
      expect(await memory.get(key)).toBeUndefined();
      await memory.set({ ...key, value: 2 });
      await expect(memory.set({ ...key, value: 3, ifRevision: revision })).rejects.toThrow(conflict());
    });

    test("is refused when it is no JSON or too large, and what was there stays", async () => {
      const memory = owners()();
      await memory.set({ ...key, value: "kept" });
      await expect(memory.set({ ...key, value: undefined })).rejects.toThrow(refused);
      await expect(memory.set({ ...key, value: "x".repeat(1_000_000) })).rejects.toThrow(refused);
      await expect(memory.set({ ...key, value: 1, metadata: { x: "x".repeat(16_000) } })).rejects.toThrow(refused);
      expect(valueIn(await memory.get(key))).toBe("kept");
    });
  });

  test("a merge patch is applied to what is kept, or makes the entry", async () => {
    const memory = owners()();
    expect(valueIn(await memory.patch(key, { n: 1, gone: null }))).toEqual({ n: 1 });
    await memory.set({ ...key, value: { n: 1 }, metadata: { kept: true } });
    const patched = await memory.patch(key, { m: 2, n: null });
    expect([valueIn(patched), patched.metadata]).toEqual([{ m: 2 }, { kept: true }]);
    expect(await memory.get(key)).toEqual(patched);
  });

  test("of many writes at once over one revision, one is done", async () => {
    const open = owners();
    const memories = [open(), open()];
    const { revision } = await open().set({ ...key, value: "before" });
    const writes = Array.from({ length: 10 }, (_, value) =>
      memories[value % 2]?.set({ ...key, value, ifRevision: revision }),
    );
    const done = await Promise.allSettled(writes);
    expect(done.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("of many patches at once none is lost", async () => {
    const open = owners();
    const memories = [open(), open()];
    const names = Array.from({ length: 10 }, (_, number) => `n${number}`);
    await Promise.all(names.map((name, number) => memories[number % 2]?.patch(key, { [name]: number })));
    expect(Object.keys(valueIn(await open().get(key)) as object).sort()).toEqual(names);
  });

  test("all entries together have a limit; a smaller value in place of a larger one always fits", async () => {
    // Each entry counts 256 bytes more than its value and key.
    const memory = owners(1000 + 2 * 256)();
    await memory.set({ ...key, value: "x".repeat(900) });
    await expect(memory.set({ ...key, key: "b", value: "x".repeat(100) })).rejects.toThrow(full);
    await expect(memory.patch({ ...key, key: "b" }, { x: "x".repeat(100) })).rejects.toThrow(full);
    await memory.set({ ...key, value: "x".repeat(800) });
    await memory.set({ ...key, key: "b", value: "x".repeat(100) });
    const kept = await memory.list({ namespace: "default", limit: 9 });
    expect(kept.map(({ key: name }) => name)).toEqual(["a", "b"]);
  });

  test("entries without a value worth the name take room too", async () => {
    const memory = owners(3 * 256 + 100)();
    expect(await memory.usedBytes()).toBe(0);
    for (const name of ["a", "b", "c"]) await memory.set({ ...key, key: name, value: 0 });
    await expect(memory.set({ ...key, key: "d", value: 0 })).rejects.toThrow(full);
    expect(await memory.usedBytes()).toBe(3 * (256 + 2));
  });

  test("a list has the keys of one namespace, by prefix and in pages", async () => {
    const memory = owners()();
    for (const name of ["b%", "b_1", "a", "b2", "B"]) await memory.set({ ...key, key: name, value: 1 });
    await memory.set({ namespace: "other", key: "b3", value: 1 });
    const names = async (page: object) =>
      (await memory.list({ namespace: "default", limit: 9, ...page })).map((entry) => entry.key);
    expect(await names({})).toEqual(["B", "a", "b%", "b2", "b_1"]);
    expect(await names({ prefix: "b" })).toEqual(["b%", "b2", "b_1"]);
    expect(await names({ prefix: "b%" })).toEqual(["b%"]);
    expect(await names({ after: "b%", limit: 1 })).toEqual(["b2"]);
    expect(await memory.list({ namespace: "none", limit: 9 })).toEqual([]);
    expect(await memory.damaged()).toEqual([]);
  });

  test("what belongs to one owner is not another's, also under the same key", async () => {
    const open = owners(2 * 256);
    const [ours, theirs] = [open("ours"), open("theirs")];
    const { revision } = await ours.set({ ...key, value: "ours" });
    expect([await theirs.get(key), await theirs.delete(key), await theirs.usedBytes()]).toEqual([undefined, false, 0]);
    expect(await theirs.list({ namespace: "default", limit: 9 })).toEqual([]);
    await expect(theirs.set({ ...key, value: "theirs", ifRevision: revision })).rejects.toThrow(conflict());
    await theirs.patch(key, { of: "theirs" });
    expect([valueIn(await ours.get(key)), valueIn(await theirs.get(key))]).toEqual(["ours", { of: "theirs" }]);
    // The limit is each one's own.
    expect(await ours.usedBytes()).toBe(256 + 7);
  });
});
