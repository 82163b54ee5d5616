import { beforeAll, describe, expect, test } from "vitest";
import type { Coordinator } from "../src/app/coordinator.ts";
import type { Language } from "../src/sandbox/engine.ts";
import { documented } from "./documented.ts";
import { openCoordinator } from "./open-coordinator.ts";
import { longestStandstill } from "./standstill.ts";

// What guests keep by key: through the library, in both languages, over two coordinators on the same data.

let coordinator: Coordinator;
let second: Coordinator;
beforeAll(async () => {
  [coordinator, second] = [await openCoordinator(), await openCoordinator()];
});

const run = async (language: Language, code: string, of = coordinator, engine?: string) => {
  const { status, result, error } = await of.execute({ language, code, engine });
  return status === "ok" ? result : { status, message: error?.message };
};
const inTypeScript = (code: string, of?: Coordinator) =>
  run("typescript", `import { memory } from "coordinator";\n${code}`, of);
const inPython = (code: string, of?: Coordinator, engine?: string) =>
  run("python", `from coordinator import memory\n${code}`, of, engine);

describe("a value", () => {
  test("kept in one language by one coordinator is there in the other by another, at once", async () => {
    const value = { list: [1, null, "é"], deep: { a: { b: true } } };
    await inTypeScript(`await memory.set("shared", ${JSON.stringify(value)}, { metadata: { by: "ts" } })`);
    expect(await inPython(`memory.get("shared")`, second)).toEqual(value);
    expect(await inPython(`memory.info("shared")["metadata"]`, second)).toEqual({ by: "ts" });
    await inPython(`memory.set("shared", [1])`, second);
    expect(await inTypeScript(`await memory.get("shared")`)).toEqual([1]);
  });

  test("that is not there is null, or the default", async () => {
    expect(
      await inTypeScript(`[await memory.get("x"), await memory.get("x", { default: 0 }), await memory.info("x")]`),
    ).toEqual([null, 0, null]);
    expect(await inPython(`[memory.get("x"), memory.get("x", default=0), memory.info("x")]`)).toEqual([null, 0, null]);
  });

  test("that is large keeps nobody else waiting, however often it is changed at once", {
    timeout: 150_000,
  }, async () => {
    const code = `import { memory } from "coordinator";
const large: any = Object.fromEntries(Array.from({ length: 70_000 }, (_, i) => [\`key \${i}\`, 0]));
large.rest = "x".repeat(999_900 - JSON.stringify(large).length);
await memory.set("large", large);
const tooMuch = { more: "x".repeat(200) }; // what is refused costs as much, and its answer is short
const changes = Array.from({ length: 80 }, () => memory.update("large", tooMuch).catch((error) => error.code));
[...new Set(await Promise.all(changes))]`;
    const { result, longestMs } = await longestStandstill(() => coordinator.execute({ code, timeoutSeconds: 120 }));
    expect(result).toMatchObject({ status: "ok", result: ["input_invalid"] });
    expect(longestMs).toBeLessThan(2000);
  });

  test("is one of its namespace", async () => {
    expect(
      await inPython(`
memory.set("n", 1, namespace="a")
memory.update("n", lambda n: n + 1, namespace="a")
[memory.get("n"), memory.get("n", namespace="a"), [e["key"] for e in memory.list(namespace="a")],
 memory.delete("n"), memory.delete("n", namespace="a")]`),
    ).toEqual([null, 2, ["n"], false, true]);
  });

  test("is not written over another revision than the one asked for, and the guest learns why", async () => {
    const caught = await inTypeScript(`
      const { revision } = await memory.set("r", 1);
      await memory.set("r", 2);
      await memory.set("r", 3, { if_revision: revision }).catch((error) => [error.code, error.message])`);
    expect(caught).toEqual(["memory_conflict", expect.stringMatching(/^"r" was not written: asked for revision \d+/)]);
    expect(await inPython(`memory.get("r")`)).toBe(2);
  });

  test("of a name that cannot be shown, or that JSON cannot say, is refused", async () => {
    const refused = (message: string) => ({ status: "error", message: expect.stringContaining(message) });
    expect(await inTypeScript(`await memory.set("a\\n", 1)`)).toEqual(refused("1 to 200 printable characters"));
    expect(await inTypeScript(`await memory.set("a", undefined)`)).toEqual(refused("value: is missing"));
    expect(await inTypeScript(`await memory.set("a", Number.NaN)`)).toEqual(refused("which JSON cannot say"));
    expect(await inPython(`memory.set("a", {1, 2})`)).toEqual(refused("set is not JSON serializable"));
    expect(await inPython(`memory.set("a", "x" * 1_000_001)`)).toEqual(refused("a value may have 1000000"));
  });
});

describe("an update", () => {
  test("by a function gets the value, or the default, and answers the new one", async () => {
    expect(
      await inTypeScript(`[
        await memory.update("count", (n) => n + 1, { default: 0 }),
        await memory.update("count", async (n) => n + 1),
        await memory.get("count")]`),
    ).toEqual([1, 2, 2]);
    expect(
      await inPython(`
from coordinator.aio import memory as later
async def add(n): return n + 1
[memory.update("count", lambda n: n + 1), await later.update("count", add), await later.update("count", lambda n: -n)]`),
    ).toEqual([3, 4, -4]);
  });

  test("by an object is merged: null removes", async () => {
    await inPython(`memory.set("settings", {"a": {"b": 1, "c": 2}})`);
    expect(await inPython(`memory.update("settings", {"a": {"b": None, "d": 3}})`)).toEqual({ a: { c: 2, d: 3 } });
    expect(await inTypeScript(`await memory.update("settings", { a: null, e: [1] })`)).toEqual({ e: [1] });
  });

  test("by a function that returns nothing changes nothing", async () => {
    await inPython(`memory.set("kept", {"n": 1})`);
    const returns = { status: "error", message: expect.stringContaining("nothing was written: return the new value") };
    expect(await inTypeScript(`await memory.update("kept", (v) => { v.n++ })`)).toEqual(returns);
    expect(await inPython(`memory.update("kept", lambda v: v.update(n=2))`)).toEqual(returns);
    expect(await inPython(`memory.get("kept")`)).toEqual({ n: 1 });
  });

  test("by many guests of two coordinators at once loses none", async () => {
    const add = (of: Coordinator) => [
      inTypeScript(`for (let i = 0; i < 25; i++) await memory.update("n", (n) => n + 1, { default: 0 })`, of),
      inPython(`for _ in range(25): memory.update("n", lambda n: n + 1, default=0)`, of),
    ];
    await Promise.all([coordinator, second].flatMap(add));
    expect(await inTypeScript(`await memory.get("n")`)).toBe(100);
  });

  test("200 times at once in one run takes no more calls than one after the other, in threads too", async () => {
    const all = '[sorted(done) == list(range(1, 201)), memory.get("at_once")]';
    const starts = {
      typescript: `const done = await Promise.all(Array.from({ length: 200 }, () => memory.update("at_once", (n) => n + 1, { default: 0 })));
[done.toSorted((a, b) => a - b).every((n, at) => n === at + 1), await memory.get("at_once")]`,
      coroutines: `import asyncio
from coordinator.aio import memory as later
done = await asyncio.gather(*[later.update("at_once", lambda n: n + 1, default=0) for _ in range(200)])
${all}`,
      threads: `from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool:
    done = list(pool.map(lambda _: memory.update("at_once", lambda n: n + 1, default=0), range(200)))
${all}`,
    };
    for (const [kind, code] of Object.entries(starts)) {
      const answer = await (kind === "typescript" ? inTypeScript(code) : inPython(code));
      expect([kind, answer]).toEqual([kind, [true, 200]]);
      await inPython('memory.delete("at_once")');
    }
  });

  test("inside another of the same key waits for it no longer than its time, and loses nothing", async () => {
    const nested = `let inner = 0;
await memory.update("nested", async (n) => {
  if (inner++ === 0) await memory.update("nested", (m) => m + 1, { default: 0 });
  return (n ?? 0) + 1;
});
await memory.get("nested")`;
    expect(await inTypeScript(nested)).toBe(2);
    const python = `from coordinator.aio import memory as later
inner = []
async def change(n):
    if not inner:
        inner.append(await later.update("nested", lambda m: m + 1, default=0))
    return n + 1
await later.update("nested", change, default=0)`;
    expect(await inPython(python)).toBe(4);
  });

  test("works in WebAssembly too", async () => {
    const code = `from coordinator.aio import memory as later
[memory.update("w", lambda n: n + 1, default=1), await later.update("w", lambda n: n + 1), memory.update("w2", {"a": 1})]`;
    expect(await inPython(code, coordinator, "pyodide")).toEqual([2, 3, { a: 1 }]);
  });
});

test.each(documented("memory.md"))("docs/memory.md: the %s block %#", async (language, code) => {
  const { status, error } = await coordinator.execute({ language, code });
  expect([status, error?.message]).toEqual(["ok", undefined]);
});

describe("the check, before anything runs", () => {
  const refused = (pattern: RegExp) => ({ status: "check_failed", message: expect.stringMatching(pattern) });

  test.each([
    ["await memory.update(1, {})", /'number' is not assignable to parameter of type 'string'/],
    ['await memory.update("a")', /Expected 2-3 arguments, but got 1/],
    ['await memory.update("a", [1])', /not assignable/],
    ['await memory.update("a", (n) => n, { namespac: "x" })', /namespac/],
    ['await memory.gett("a")', /gett/],
    ['await memory.set("a")', /Expected 2-3 arguments/],
  ])("refuses %s in TypeScript", async (code, message) => {
    expect(await inTypeScript(code)).toEqual(refused(message));
  });

  test.each([
    ["memory.update(1, {})", /1 is not str/],
    ['memory.update("a")', /Argument missing for parameter "change"/],
    ['memory.update("a", lambda n: n, namespac="x")', /no parameter "namespac"/i],
    ['memory.gett("a")', /"coordinator.memory" has no "gett"/],
    ['memory.set("a")', /Argument missing for parameter "value"/],
  ])("refuses %s in Python", async (code, message) => {
    expect(await inPython(code)).toEqual(refused(message));
  });
});
