import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createLibrary } from "../../catalog/library.ts";
import { openStore } from "../../store/sqlite/store.ts";
import { createObservations } from "./observations.ts";

const tools = [{ name: "list" }, { name: "declared", outputSchema: { type: "object" } }];
const { library } = createLibrary({ name: "one" }, { tools }, "one");
const listed = { library, skipped: [], tools: new Map(library.tools.map((tool) => [tool.name, tool])) };

function open() {
  const folder = mkdtempSync(join(tmpdir(), "observations-"));
  const store = openStore(folder);
  const libraries = { peek: () => listed, identity: () => "identity" };
  const observations = createObservations({ libraries, store: store.observed });
  onTestFinished(() => {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const learn = (value: unknown, tool = "list", run = "run") =>
    observations.learn({ run, server: "one", tool }, { value: JSON.stringify(value) });
  const results = async () => (await observations.shown(library)).tools[0]?.observed?.results;
  return { store, observations, learn, results };
}

test("of many results at once only the first are looked at", async () => {
  const { learn, results } = open();
  for (let call = 0; call < 50; call++) learn({ id: call });
  expect(await results()).toBe(5);
});

test("a text that is a list of Python is learned as the data that it is", async () => {
  const { observations } = open();
  observations.learn({ run: "run", server: "one", tool: "list" }, { text: "[{'id': 'C1', 'n': None}]" });
  const schema = (await observations.shown(library)).tools[0]?.observed?.schema;
  expect(schema).toMatchObject({ type: "array", items: { type: "object", required: ["id", "n"] } });
});

test("what comes after a pause is looked at again", async () => {
  const { learn, results } = open();
  for (let call = 0; call < 6; call++) learn({ id: call });
  await new Promise((resolve) => setTimeout(resolve, 300));
  learn({ id: "last" });
  expect(await results()).toBe(6);
});

test("a long result is read when nothing is known, and a too long one never", async () => {
  const { learn, results } = open();
  const long = { text: "x".repeat(1_500_000) };
  learn({ text: "x".repeat(17_000_000) });
  expect(await results()).toBeUndefined();
  learn(long);
  learn(long);
  await vi.waitFor(async () => expect(await results()).toBe(1), 20_000);
});

test("what is declared, and tools that are not there, are left alone", async () => {
  const { learn, store } = open();
  learn({ id: 1 }, "declared");
  learn({ id: 1 }, "nothing");
  expect((await store.observed.of("identity")).size).toBe(0);
});

test("a store that fails costs no call, and takes nothing from those after it", async () => {
  const { learn, observations, store } = open();
  learn({ id: 1 });
  store.close();
  learn({ id: 2 });
  expect(await observations.takeDrift("run")).toEqual([]);
  await expect(observations.flush()).resolves.toBeUndefined();
});

test("drift belongs to the run that saw it, and is taken once; new keys are none", async () => {
  const { learn, observations, store } = open();
  learn({ id: 1 }, "list", "first");
  learn({ id: "x" }, "list", "second");
  learn({ id: "y" }, "list", "third");
  learn({ id: "z", more: 1 }, "list", "fourth");
  expect(await observations.takeDrift("fourth")).toEqual([]);
  const told: number[] = [];
  for (const run of ["first", "third", "second", "second"]) told.push((await observations.takeDrift(run)).length);
  expect(told).toEqual([0, 0, 1, 0]);
  expect((await store.observed.of("identity")).get("list")?.drift?.text).toBe("id was integer, now also string");
});
