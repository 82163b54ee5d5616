import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { mergePatch } from "../../memory/memory-store.ts";
import { connect } from "./connection.ts";
import { createMemory } from "./memory.ts";
import { migrate } from "./migrate.ts";
import { buildKeeper, temporaryFolder } from "./start-keeper.fixture.ts";
import { openStore } from "./store.ts";

const key = { namespace: "default", key: "a" };
const valueIn = (entry: { readonly json: string } | undefined): unknown => entry && JSON.parse(entry.json);
/** How often a process is killed; more on a machine with time. */
const kills = Number(process.env["KILLS"] ?? 5);

describe("an entry", () => {
  test("keeps its value, metadata and first moment over writes, and gets a new revision by each", async () => {
    const memory = open();
    const first = await memory.set({ ...key, value: { n: [1, null, "é\0"] }, metadata: { from: "test" } });
    const second = await memory.set({ ...key, value: 2 });
    expect(await memory.get(key)).toEqual({ ...second, json: "2" });
    expect(second).toMatchObject({ created: first.created, metadata: { from: "test" } });
    expect(second.revision).toBeGreaterThan(first.revision);
  });

  test("comes back exactly, whatever text it has", async () => {
    const memory = open();
    const value = { "": "\0\ud800 ", list: [0, -0.5, 1e300, true, null], ключ: {} };
    await memory.set({ ...key, key: "any key, with ключ / and '\"", value });
    expect(valueIn(await memory.get({ ...key, key: "any key, with ключ / and '\"" }))).toEqual(value);
  });

  test("is written over the revision that was asked for, and over no other", async () => {
    const memory = open();
    const { revision } = await memory.set({ ...key, value: 1, ifRevision: 0 });
    await expect(memory.set({ ...key, value: 2, ifRevision: 0 })).rejects.toThrow(
      expect.objectContaining({ code: "memory_conflict", message: expect.stringContaining("asked for a free key") }),
    );
    await memory.set({ ...key, value: 3, ifRevision: revision });
    await expect(memory.set({ ...key, value: 4, ifRevision: revision })).rejects.toThrow(
      expect.objectContaining({ code: "memory_conflict" }),
    );
    expect(valueIn(await memory.get(key))).toBe(3);
  });

  test("that was deleted and made again is not taken for the old one", async () => {
    const memory = open();
    const { revision } = await memory.set({ ...key, value: 1 });
    expect([await memory.delete(key), await memory.delete(key), await memory.get(key)]).toEqual([
      true,
      false,
      undefined,
    ]);
    await memory.set({ ...key, value: 2 });
    await expect(memory.set({ ...key, value: 3, ifRevision: revision })).rejects.toThrow(
      expect.objectContaining({ code: "memory_conflict" }),
    );
  });

  test("is refused when it is no JSON or too large, and what was there stays", async () => {
    const memory = open();
    await memory.set({ ...key, value: "kept" });
    const refusal = expect.objectContaining({ code: "input_invalid" });
    await expect(memory.set({ ...key, value: undefined })).rejects.toThrow(refusal);
    await expect(memory.set({ ...key, value: "x".repeat(1_000_000) })).rejects.toThrow(refusal);
    await expect(memory.set({ ...key, value: 1, metadata: { x: "x".repeat(16_000) } })).rejects.toThrow(refusal);
    expect(valueIn(await memory.get(key))).toBe("kept");
  });
});

test("all entries together have a limit; a smaller value in place of a larger one always fits", async () => {
  // Each entry counts 256 bytes more than its value and key.
  const memory = open(1000 + 2 * 256);
  await memory.set({ ...key, value: "x".repeat(900) });
  await expect(memory.set({ ...key, key: "b", value: "x".repeat(100) })).rejects.toThrow(
    expect.objectContaining({ code: "storage_full" }),
  );
  await memory.set({ ...key, value: "x".repeat(800) });
  await memory.set({ ...key, key: "b", value: "x".repeat(100) });
  expect((await memory.list({ namespace: "default", limit: 9 })).map(({ key: name }) => name)).toEqual(["a", "b"]);
});

test("entries without a value worth the name take room too", async () => {
  const memory = open(3 * 256 + 100);
  for (const name of ["a", "b", "c"]) await memory.set({ ...key, key: name, value: 0 });
  await expect(memory.set({ ...key, key: "d", value: 0 })).rejects.toThrow(
    expect.objectContaining({ code: "storage_full" }),
  );
  expect(await memory.usedBytes()).toBe(3 * (256 + 2));
});

test("a list has the keys of one namespace, by prefix and in pages", async () => {
  const memory = open();
  for (const name of ["b%", "b_1", "a", "b2", "B"]) await memory.set({ ...key, key: name, value: 1 });
  await memory.set({ namespace: "other", key: "b3", value: 1 });
  const names = async (page: object) =>
    (await memory.list({ namespace: "default", limit: 9, ...page })).map((entry) => entry.key);
  expect(await names({})).toEqual(["B", "a", "b%", "b2", "b_1"]);
  expect(await names({ prefix: "b" })).toEqual(["b%", "b2", "b_1"]);
  expect(await names({ prefix: "b%" })).toEqual(["b%"]);
  expect(await names({ after: "b%", limit: 1 })).toEqual(["b2"]);
});

describe("a merge patch", () => {
  // The examples of RFC 7396, appendix A, that tell one reading of it from another.
  test.each([
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [undefined, { a: 1, b: null }, { a: 1 }],
  ])("of %j by %j makes %j", (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });

  test("with __proto__ in it changes no prototype", () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__": {"polluted": 1}}')) as object;
    expect([Object.getPrototypeOf(merged), JSON.stringify(merged)]).toEqual([
      Object.prototype,
      '{"__proto__":{"polluted":1}}',
    ]);
  });

  test("is applied to what is kept, or makes the entry", async () => {
    const memory = open();
    expect(valueIn(await memory.patch(key, { n: 1, gone: null }))).toEqual({ n: 1 });
    expect(valueIn(await memory.patch(key, { m: 2, n: null }))).toEqual({ m: 2 });
    expect(valueIn(await memory.get(key))).toEqual({ m: 2 });
  });
});

describe("several processes", () => {
  let keeper: ReturnType<typeof buildKeeper>;
  beforeAll(() => {
    keeper = buildKeeper();
  });
  afterAll(() => keeper.remove());

  test("ten that add 1 to a counter, 100 times each, make it 1,000", async () => {
    const home = temporaryFolder();
    const children = Array.from({ length: 10 }, () => keeper.start("count", home));
    await Promise.all(children.map((child) => once(child.stdout, "data")));
    const exits = children.map((child) => once(child, "exit"));
    for (const child of children) child.stdin.write("go\n");
    expect(await Promise.all(exits)).toEqual(children.map(() => [0, null]));
    using store = openStore(home);
    expect(valueIn(await store.memory.get({ ...key, key: "counter" }))).toBe(1000);
  });

  test(
    `of ${kills} that are killed while they write, every acknowledged value is there, and whole`,
    async () => {
      for (let kill = 0; kill < kills; kill++) {
        const home = temporaryFolder();
        const said = await keeper.killAfter("remember", home, Math.ceil(Math.random() * 400));
        const acknowledged = Number(said.at(-1));
        const started = performance.now();
        using store = openStore(home);
        expect(performance.now() - started).toBeLessThan(2000);
        const value = valueIn(await store.memory.get({ ...key, key: "last" })) as { number: number; text: string };
        expect([acknowledged, acknowledged + 1]).toContain(value.number);
        expect(value.text.length).toBe(value.number % 5000);
      }
    },
    60_000 + kills * 5000,
  );
});

function open(most?: number) {
  const connection = connect(join(temporaryFolder(), "test.db"));
  onTestFinished(() => connection.close());
  migrate(connection);
  return createMemory(connection, "local", most);
}
