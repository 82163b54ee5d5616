import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, expect, test, vi } from "vitest";
import { Folder } from "./folder.ts";
import { createWorkspace } from "./workspace.ts";

const folder = mkdtempSync(join(tmpdir(), "list-folder-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open = (name: string) => {
  const root = join(folder, name);
  mkdirSync(root, { recursive: true });
  return createWorkspace({ root, lockFolder: join(folder, "locks"), maxMb: 64, maxFiles: 100_000 });
};
/** How often others have had the thread while it was done. */
const turnsDuring = async (work: () => Promise<unknown>): Promise<number> => {
  let isOver = false;
  const done = work().finally(() => {
    isOver = true;
  });
  let turns = 0;
  for (; !isOver; turns++) await nextTurn();
  await done;
  return turns;
};

/** 4,000 folders at the end of a way through 30. */
const deep = () => {
  const workspace = open("deep");
  const way = Array.from({ length: 30 }, (_, depth) => `d${depth}`).join("/");
  mkdirSync(join(workspace.root, way), { recursive: true });
  for (let index = 0; index < 4000; index++) mkdirSync(join(workspace.root, way, `f${index}`));
  return workspace;
};

test("many folders deep down are each entered once, and others go on meanwhile; so it is when they are counted", async () => {
  const workspace = deep();
  const entering = vi.spyOn(Folder.prototype, "enter");
  let total = 0;
  const turns = await turnsDuring(async () => {
    ({ total } = await workspace.list());
  });
  expect(total).toBe(4030);
  expect(entering.mock.calls.length).toBeLessThan(4200);
  expect(turns).toBeGreaterThan(3);
  entering.mockRestore();
  expect(await turnsDuring(() => workspace.used())).toBeGreaterThan(3);
  expect(await workspace.used()).toEqual({ bytes: 0, files: 4030 });
});

test("a tree that is too large is not seen to its end, which is told; what is near the top is seen first", async () => {
  const workspace = open("large");
  for (const path of ["a/b/c", "z/y/x/w"]) mkdirSync(join(workspace.root, path), { recursive: true });
  for (let index = 0; index < 20_000; index++) writeFileSync(join(workspace.root, "a/b/c", `f${index}`), "");
  writeFileSync(join(workspace.root, "z/y/x/w/last"), "");
  const { entries, isPartial } = await workspace.list();
  expect(entries.slice(0, 5).map(({ path }) => path)).toEqual(["a", "z", "a/b", "z/y", "a/b/c"]);
  expect(isPartial).toBe(true);
  expect(await workspace.list({ pattern: "last" })).toMatchObject({ total: 0, isPartial: true });
  const named = await workspace.list({ folder: "z", pattern: "last" });
  expect(named).toEqual({ entries: [expect.objectContaining({ path: "z/y/x/w/last" })], total: 1 });
});
