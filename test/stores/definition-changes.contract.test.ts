import { afterEach, describe, expect, test, vi } from "vitest";
import type { DefinitionChanges } from "../../src/runtime/libraries/definition-changes.ts";
import { createChangesInMemory } from "./in-memory/definition-changes.ts";
import { openStores } from "./open-stores.ts";

// Every store of changed definitions keeps to this.

afterEach(() => vi.useRealTimers());

const implementations: [string, () => DefinitionChanges][] = [
  ["sqlite", () => openStores()().definitionChanges],
  ["in memory", createChangesInMemory],
];

const added = (tool: string) => ({ tool, kind: "added", parts: [], diff: "+x" }) as const;
const changed = { tool: "b", kind: "changed", parts: ["input", "output"], diff: "-x\n+y" } as const;

describe.each(implementations)("changed definitions, %s", (_implementation, open) => {
  test("changes read back with the time they were noticed, the newest first", async () => {
    vi.useFakeTimers({ now: 1, toFake: ["Date"] });
    const changes = open();
    await changes.note("server", [added("a"), changed]);
    vi.setSystemTime(2);
    await changes.note("server", [{ ...changed, kind: "removed" }]);
    await changes.note("other", [added("z")]);
    expect(await changes.of("server")).toEqual([
      { ...changed, kind: "removed", at: 2 },
      { ...changed, at: 1 },
      { ...added("a"), at: 1 },
    ]);
    expect(await changes.of("none")).toEqual([]);
  });

  test("those that nobody was told of are there until they are marked, the oldest first", async () => {
    const changes = open();
    await changes.note("server", [added("a"), changed]);
    await changes.note("other", [added("z")]);
    const untold = await changes.untold(["server", "nothing"]);
    expect([...untold]).toMatchObject([["server", [added("a"), changed]]]);
    expect(await changes.untold(["server"])).toEqual(untold);
    const [first, second] = [...untold.values()].flat();
    await changes.markTold(first ? [first] : []);
    expect([...(await changes.untold(["server"]))]).toEqual([["server", [second]]]);
    await changes.markTold([...untold.values()].flat());
    await changes.markTold([]);
    expect([...(await changes.untold(["server", "other"]))]).toMatchObject([["other", [added("z")]]]);
    // They stay known.
    expect(await changes.of("server")).toHaveLength(2);
  });
});
