import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { createTellChanges, toolChanges } from "../../src/operations/discovery/tool-changes.ts";
import { createServices, runnerOf } from "./services.ts";

afterEach(() => vi.useRealTimers());

const added = { tool: "orders", kind: "added", parts: [], diff: "+orders" } as const;
const changed = { tool: "orders", kind: "changed", parts: ["input"], diff: "-a\n+b" } as const;

async function open() {
  const made = await createServices();
  return { ...made, run: runnerOf([toolChanges(made.services)]), identity: made.libraries.identity("data") };
}

test("changes of definitions are told newest first, and so are those of results", async () => {
  vi.useFakeTimers({ now: 1000, toFake: ["Date"] });
  const { run, identity, definitionChanges, observed } = await open();
  await definitionChanges.note(identity, [added]);
  await observed.change(identity, "orders", () => ({ shape: 1, drift: "id was integer" }));
  vi.setSystemTime(2000);
  await definitionChanges.note(identity, [changed]);
  await definitionChanges.note("another", [added]);
  await observed.change(identity, "sums", () => ({ shape: 1, drift: "total is new" }));
  await observed.change(identity, "steady", () => ({ shape: 1 }));
  expect(await run("tool_changes", { server_name: "data" })).toEqual({
    definitions: [
      { ...changed, at: 2000 },
      { ...added, at: 1000 },
    ],
    results: [
      { tool: "sums", at: 2000, drift: "total is new" },
      { tool: "orders", at: 1000, drift: "id was integer" },
    ],
  });
});

test("what was just learned of results is told too", async () => {
  const { run, observations, libraries } = await open();
  await libraries.load();
  for (const id of [1, "x"]) {
    observations.learn({ run: "r1", server: "data", tool: "orders" }, { text: JSON.stringify({ id }) });
  }
  expect(await run("tool_changes", { server_name: "data" })).toMatchObject({
    definitions: [],
    results: [{ tool: "orders", drift: "id was integer, now also string" }],
  });
});

test("an unknown server is told with the one that was meant", async () => {
  const { run } = await open();
  await expect(run("tool_changes", { server_name: "dta" })).rejects.toMatchObject({
    code: "server_unknown",
    hint: expect.stringContaining("data"),
  });
});

test("what nobody was told of yet is told once, and marked when it was", async () => {
  const { services, identity, definitionChanges } = await open();
  const tell = createTellChanges(services);
  expect(await tell()).toBe("");
  await definitionChanges.note(identity, [added, changed]);
  expect(await tell()).toBe("Changed since these servers were last asked:\ndata: orders added, orders changed (input)");
  expect(await tell()).toBe("");
  await nextTurn();
  expect(await definitionChanges.untold([identity])).toEqual(new Map());
});
