import { expect, test } from "vitest";
import { memoryOperations } from "../../src/operations/memory.ts";
import { JsonText } from "../../src/sandbox/json-pieces.ts";
import { createServices, runnerOf } from "./services.ts";

const open = async () => runnerOf(memoryOperations((await createServices()).services));
const inRun = { run: { id: "r1", language: "typescript" } } as const;

test("a value is kept, read, merged into, told about and forgotten", async () => {
  const run = await open();
  expect(await run("set_memory", { key: "a", value: { n: 1 }, metadata: { from: "test" } })).toMatchObject({
    namespace: "default",
    key: "a",
    bytes: expect.any(Number),
    metadata: { from: "test" },
  });
  expect(await run("get_memory", { key: "a" })).toEqual({ n: 1 });
  expect(await run("update_memory", { key: "a", patch: { m: 2, n: null } })).toEqual({ m: 2 });
  expect(await run("memory_info", { key: "a" })).not.toHaveProperty("value");
  expect(await run("memory_info", { key: "a", value: true })).toMatchObject({ key: "a", value: { m: 2 } });
  expect([await run("delete_memory", { key: "a" }), await run("delete_memory", { key: "a" })]).toEqual([true, false]);
  expect(await run("memory_info", { key: "a" })).toBeNull();
});

test("a key that is not there has the default, or null", async () => {
  const run = await open();
  expect([await run("get_memory", { key: "a" }), await run("get_memory", { key: "a", default: [1] })]).toEqual([
    null,
    [1],
  ]);
  await run("set_memory", { key: "a", value: null });
  expect(await run("get_memory", { key: "a", default: [1] })).toBeNull();
});

test("a guest gets the text as it is kept", async () => {
  const run = await open();
  await run("set_memory", { key: "a", value: { n: 1 } }, inRun);
  expect(await run("get_memory", { key: "a" }, inRun)).toEqual(new JsonText('{"n":1}'));
  expect(await run("update_memory", { key: "a", patch: { m: 2 } }, inRun)).toEqual(new JsonText('{"n":1,"m":2}'));
});

test("a write over another revision is a conflict, and changes nothing", async () => {
  const run = await open();
  await run("set_memory", { key: "a", value: 1, if_revision: 0 });
  await expect(run("set_memory", { key: "a", value: 2, if_revision: 0 })).rejects.toMatchObject({
    code: "memory_conflict",
    hint: expect.stringContaining("memory.update"),
  });
  expect(await run("get_memory", { key: "a" })).toBe(1);
});

test("namespaces stay apart, and a list is of one of them, by prefix and in pages", async () => {
  const run = await open();
  for (const key of ["b1", "b2", "a"]) await run("set_memory", { key, value: key });
  await run("set_memory", { key: "b3", value: "other", namespace: "other" });
  const keys = async (page: object) => ((await run("list_memory", page)) as { key: string }[]).map(({ key }) => key);
  expect(await keys({})).toEqual(["a", "b1", "b2"]);
  expect([await keys({ prefix: "b", after: "b1" }), await keys({ limit: 1 })]).toEqual([["b2"], ["a"]]);
  expect([await keys({ namespace: "other" }), await run("get_memory", { key: "b3" })]).toEqual([["b3"], null]);
});

test.each([
  ["set_memory", { key: "", value: 1 }],
  ["set_memory", { key: "two\nlines", value: 1 }],
  ["set_memory", { key: "\ud800", value: 1 }],
  ["set_memory", { key: "x".repeat(201), value: 1 }],
  ["set_memory", { key: "a", value: 1, if_revision: -1 }],
  ["set_memory", { key: "a" }],
  ["update_memory", { key: "a", patch: [1] }],
  ["list_memory", { limit: 0 }],
  ["get_memory", { key: "a", nmespace: "b" }],
])("%s refuses %j", async (name, args) => {
  const run = await open();
  await expect(run(name, args)).rejects.toMatchObject({ code: "input_invalid" });
  expect(await run("list_memory", {})).toEqual([]);
});
