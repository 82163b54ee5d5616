import { describe, expect, test, vi } from "vitest";
import { conveniences } from "./conveniences.ts";
import { createImport } from "./modules.ts";

const imports = { allow: ["*"], deny: [] };
const operations = (...names: string[]) => names.map((name) => [name, "key", "value"] as const);

describe("a convenience", () => {
  test("is offered only where its operations are", async () => {
    const host = { call: async () => null, operation: async (name: string) => name };
    const offered = async (...names: string[]) => {
      const load = createImport(host, { libraries: [], modules: [], operations: operations(...names), imports });
      return (await load("coordinator"))["memory"] as Record<string, (...given: unknown[]) => Promise<unknown>>;
    };
    const some = await offered("memory.get", "memory.set");
    expect(Object.keys(some)).toEqual(["get", "set"]);
    // Without what it is made of, the operation alone.
    expect(await (await offered("memory.update"))["update"]?.("a", {})).toBe("memory.update");
  });
});

test("workspace.read_bytes reads as Base64 and gives bytes", async () => {
  const read = vi.fn(async () => "AAH/");
  const readBytes = conveniences["workspace.read_bytes"]?.make(read);
  expect(await readBytes?.("a.bin", { offset: 2 })).toEqual(new Uint8Array([0, 1, 255]));
  expect(read).toHaveBeenCalledWith("a.bin", { offset: 2, encoding: "base64" });
});

describe("memory.update", () => {
  const update = (set: () => Promise<unknown>) =>
    conveniences["memory.update"]?.make(
      async () => ({ value: 1, revision: 5 }),
      set,
      async () => "patched",
    ) as (...given: unknown[]) => Promise<unknown>;

  test("gives up after 50 attempts, and says so", async () => {
    vi.useFakeTimers();
    const set = vi.fn(async () => Promise.reject(Object.assign(new Error("changed"), { code: "memory_conflict" })));
    const failing = expect(update(set)("a", (n: number) => n + 1)).rejects.toThrow(
      '"a" was not updated: others wrote it before each of 50 attempts',
    );
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    await failing;
    expect(set).toHaveBeenCalledTimes(50);
    expect(set).toHaveBeenLastCalledWith("a", 2, { if_revision: 5 });
  });

  test("does not try again for anything but a conflict", async () => {
    const set = vi.fn(async () => Promise.reject(Object.assign(new Error("full"), { code: "storage_full" })));
    await expect(update(set)("a", (n: number) => n + 1)).rejects.toThrow("full");
    expect(set).toHaveBeenCalledTimes(1);
  });
});
