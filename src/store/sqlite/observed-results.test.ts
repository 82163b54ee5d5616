import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openStore, type Store } from "./store.ts";

function open(count: number): Store[] {
  const folder = mkdtempSync(join(tmpdir(), "observed-"));
  const stores = Array.from({ length: count }, () => openStore(folder));
  onTestFinished(() => {
    for (const store of stores) store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return stores;
}

test("what one process keeps, another adds to", async () => {
  const [first, second] = open(2);
  await first?.observed.change("server", "tool", (known) => ({ shape: { known, by: "first" } }));
  await second?.observed.change("server", "tool", (known) => ({ shape: { known, by: "second" } }));
  expect(await first?.observed.of("server")).toEqual(
    new Map([["tool", { shape: { known: { by: "first" }, by: "second" } }]]),
  );
  expect(await first?.observed.of("other")).toEqual(new Map());
});

test("of a server whose tools have ever new names, those that were learned last are kept", async () => {
  const [store] = open(1);
  await store?.observed.change("other", "tool", () => ({ shape: 1 }));
  for (let tool = 0; tool < 1010; tool++)
    await store?.observed.change("server", `tool ${tool}`, () => ({ shape: tool }));
  expect((await store?.observed.of("server"))?.size).toBe(1000);
  const shapes = [9, 10, 1009].map((tool) => store?.observed.shapeOf("server", `tool ${tool}`));
  expect(await Promise.all(shapes)).toEqual([undefined, 10, 1009]);
  expect(await store?.observed.shapeOf("other", "tool")).toBe(1);
});

test("what is known of a server goes with its catalog", async () => {
  const [store] = open(1);
  const change = { tool: "t", kind: "added", parts: [], diff: "" } as const;
  for (const identity of ["old", "kept"]) {
    await store?.catalogs.write(identity, { tools: [], info: null });
    await store?.observed.change(identity, "t", () => ({ shape: 1 }));
    await store?.definitionChanges.note(identity, [change]);
  }
  const later = Date.now() + 91 * 24 * 60 * 60 * 1000;
  await store?.prune({ now: later - 24 * 60 * 60 * 1000 * 2 });
  expect([(await store?.observed.of("old"))?.size, (await store?.definitionChanges.of("old"))?.length]).toEqual([1, 1]);
  await store?.prune({ now: later });
  expect([(await store?.observed.of("old"))?.size, (await store?.definitionChanges.of("old"))?.length]).toEqual([0, 0]);
});
