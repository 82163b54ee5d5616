import { join } from "node:path";
import libsql from "libsql";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Definition } from "../../src/policy/pins/definition.ts";
import type { Pin } from "../../src/policy/pins/pin.ts";
import { acceptedPin } from "../../src/policy/pins/review-list.ts";
import type { PinStore, ServerPin } from "../../src/servers/pins/pin-store.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { createPinsInMemory, keptPins } from "./in-memory/pins.ts";
import { openStores, temporaryFolder } from "./open-stores.ts";

// Every store of pins keeps to this.

/** Opens the store of an owner; all of one test share what is kept. */
type Owners = (principal?: string) => PinStore;

const implementations: [string, () => Owners][] = [
  [
    "sqlite",
    () => {
      const open = openStores();
      return (principal) => open(principal).pins;
    },
  ],
  [
    "in memory",
    () => {
      const shared = keptPins();
      return (principal = "local") => createPinsInMemory({ shared, principal });
    },
  ],
];

const tool = (name: string, description = "Does it"): Definition => ({ kind: "tool", name, parts: { description } });
const accepted = (name: string) => acceptedPin(tool(name), 5, "me");
const changed = (name: string, says: string): Pin => ({
  ...accepted(name),
  ...{ state: "changed", seen: tool(name, says), why: ["description reworded"], recent: [{ hash: "h", at: 7 }] },
});
const server = (more: Partial<ServerPin> = {}): ServerPin => ({
  ...{ state: "accepted", written: { command: "x", args: ["a"] }, decidedAt: 3, decidedBy: "me" },
  ...more,
});
const [key, kind] = ["k1", "tool"] as const;

describe.each(implementations)("a store of pins, %s", (_implementation, owners) => {
  test("servers read back by their file, and are replaced and taken out by their names", async () => {
    const pins = owners()();
    expect(await pins.servers("/a.json")).toEqual(new Map());
    const blocked: ServerPin = { state: "blocked", decidedAt: 4, decidedBy: "you" };
    await pins.putServers(
      "/a.json",
      new Map([
        ["one", server()],
        ["two", blocked],
      ]),
    );
    await pins.putServers("/b.json", new Map([["one", server({ decidedBy: "b" })]]));
    expect(await pins.servers("/a.json")).toEqual(
      new Map([
        ["one", server()],
        ["two", blocked],
      ]),
    );
    await pins.putServers(
      "/a.json",
      new Map([
        ["one", undefined],
        ["two", server({ decidedAt: 9 })],
      ]),
    );
    expect(await pins.servers("/a.json")).toEqual(new Map([["two", server({ decidedAt: 9 })]]));
    expect((await pins.servers("/b.json")).get("one")?.decidedBy).toBe("b");
  });

  test("of a server nothing is known until a first list is kept; then its pins, and what was held to them last", async () => {
    const pins = owners()();
    expect(await pins.list(key, kind)).toBe(undefined);
    await pins.keep(key, kind, [accepted("a"), changed("b", "More")], "print-1");
    expect(await pins.list(key, kind)).toEqual({
      listed: "print-1",
      pins: new Map([
        ["a", accepted("a")],
        ["b", changed("b", "More")],
      ]),
    });
    await pins.keep(key, kind, [accepted("b")]);
    expect((await pins.list(key, kind))?.pins.get("b")).toEqual(accepted("b"));
    expect((await pins.list(key, kind))?.listed).toBe("print-1");
    expect([await pins.list("k2", kind), await pins.list(key, "prompt")]).toEqual([undefined, undefined]);
  });

  test("an empty first list is one too; pins without a list await no first one", async () => {
    const pins = owners()();
    await pins.keep(key, kind, [], "print-0");
    expect(await pins.list(key, kind)).toEqual({ listed: "print-0", pins: new Map() });
    await pins.keep("k2", kind, [accepted("a")]);
    expect((await pins.list("k2", kind))?.listed).toBe("");
  });

  test("names are exact: twins in Unicode, halves of characters, and what looks like a key of an object", async () => {
    const pins = owners()();
    const names = ["e\u0301", "\u00e9", "a\u200b", "a", "\ud800", "__proto__", "constructor", "'; --", ""];
    await pins.keep(key, kind, names.map(accepted), "print");
    const { pins: read = new Map() } = (await pins.list(key, kind)) ?? {};
    expect([...read.keys()].sort()).toEqual([...names].sort());
    for (const name of names) expect(read.get(name)).toEqual(accepted(name));
  });

  test("what is not accepted as it is is found for many servers at once", async () => {
    const pins = owners()();
    await pins.keep(key, kind, [accepted("a"), changed("b", "More")], "p");
    await pins.keep(
      key,
      "prompt",
      [
        {
          ...changed("c", "More"),
          kind: "prompt",
          accepted: { ...tool("c"), kind: "prompt" },
          seen: { ...tool("c", "More"), kind: "prompt" },
        },
      ],
      "p",
    );
    await pins.keep("k2", kind, [accepted("a")], "p");
    const stops = await pins.stops([key, "k2", "k3"]);
    expect([...stops].map(([one, found]) => [one, found.map(({ kind: of, name }) => `${of} ${name}`).sort()])).toEqual([
      [key, ["prompt c", "tool b"]],
    ]);
    expect(await pins.stops([])).toEqual(new Map());
  });

  test("a decision is taken only about what the person saw, and once", async () => {
    const pins = owners()();
    const [seen, other] = [changed("b", "More"), changed("b", "Most")];
    await pins.keep(key, kind, [seen], "p");
    expect(await pins.decide(key, other, accepted("b"))).toBe(false);
    expect(await pins.decide("k2", seen, accepted("b"))).toBe(false);
    expect(await pins.decide(key, { ...seen, name: "c" }, accepted("c"))).toBe(false);
    expect((await pins.list(key, kind))?.pins.get("b")).toEqual(seen);
    const blocked: Pin = { ...seen, state: "blocked" };
    expect(await pins.decide(key, seen, blocked)).toBe(true);
    expect(await pins.decide(key, seen, accepted("b"))).toBe(false);
    expect((await pins.list(key, kind))?.pins.get("b")).toEqual(blocked);
  });

  test("what starts anew awaits a first list of each kind, and keeps what was blocked", async () => {
    const pins = owners()();
    const blocked: Pin = { ...accepted("b"), state: "blocked" };
    await pins.keep(key, kind, [accepted("a"), blocked], "p");
    await pins.keep("k2", kind, [accepted("a")], "p");
    await pins.startAnew(key);
    expect(await pins.list(key, kind)).toEqual({ listed: undefined, pins: new Map([["b", blocked]]) });
    expect(await pins.list(key, "instructions")).toEqual({ listed: undefined, pins: new Map() });
    expect((await pins.list("k2", kind))?.pins.size).toBe(1);
  });

  test("an owner has nothing of another's", async () => {
    const open = owners();
    const [mine, theirs] = [open("me"), open("them")];
    await mine.putServers("/a.json", new Map([["one", server()]]));
    await mine.keep(key, kind, [changed("b", "More")], "p");
    expect(await theirs.servers("/a.json")).toEqual(new Map());
    expect(await theirs.list(key, kind)).toBe(undefined);
    expect(await theirs.stops([key])).toEqual(new Map());
    expect(await theirs.decide(key, changed("b", "More"), accepted("b"))).toBe(false);
    await theirs.startAnew(key);
    expect((await mine.list(key, kind))?.pins.size).toBe(1);
  });

  test("the mark is another after every change of another store, and the same after one's own", async () => {
    const open = owners();
    const [one, other] = [open(), open()];
    let before = other.mark();
    const isTold = () => {
      const now = other.mark();
      const differs = now !== before;
      before = now;
      return differs;
    };
    const own = one.mark();
    await one.putServers("/a.json", new Map([["one", server()]]));
    expect(isTold()).toBe(true);
    await one.keep(key, kind, [changed("b", "More")], "p");
    expect(isTold()).toBe(true);
    await one.decide(key, changed("b", "More"), accepted("b"));
    expect(isTold()).toBe(true);
    await one.startAnew(key);
    expect(isTold()).toBe(true);
    expect(isTold()).toBe(false);
    expect(one.mark()).toBe(own);
  });
});

describe("a row in SQLite that is not what was written", () => {
  function damaged(sql: string): PinStore {
    const home = temporaryFolder();
    const store = openStore(home, {}, { principal: "local" });
    onTestFinished(() => store.close());
    void store.pins.putServers("/a.json", new Map([["one", server()]]));
    void store.pins.keep(key, kind, [changed("b", "More")], "p");
    const database = new libsql(join(home, "coordinator.db"));
    database.exec(sql);
    database.close();
    return store.pins;
  }

  test.each([
    ["text that is no JSON", "accepted = '{'"],
    ["another text than its hash is of", `accepted = '{"description":"Else"}'`],
    ["a text that is no object", "accepted = '7'"],
    ["a hash without a text", "accepted = NULL"],
    ["no accepted text where there has to be one", "accepted = NULL, hash = NULL"],
    ["an unknown state", "state = 'fine'"],
    ["a state that only a reader gives", "state = 'unreadable'"],
    ["another text that was seen", `seen = '{"description":"Else"}'`],
    ["reasons that are no list", "why = '{}'"],
    ["a recent past that is none", "recent = 'x'"],
    ["bytes in the place of a text", "accepted = x'ff00'"],
  ])("is an unreadable pin: %s", async (_what, change) => {
    const pins = damaged(`UPDATE definition_pins SET ${change}`);
    expect((await pins.list(key, kind))?.pins.get("b")?.state).toBe("unreadable");
    expect((await pins.stops([key])).get(key)?.map(({ state }) => state)).toEqual(["unreadable"]);
  });

  test.each([
    ["text that is no JSON", "written = '{'"],
    ["no text", "written = NULL"],
    ["a list", "written = '[]'"],
    ["an unknown state", "state = 'fine'"],
  ])("is an unreadable server: %s", async (_what, change) => {
    const pins = damaged(`UPDATE server_pins SET ${change}`);
    expect((await pins.servers("/a.json")).get("one")?.state).toBe("unreadable");
  });

  test("a list that is lost is not a reason to accept the next one", async () => {
    const pins = damaged("DELETE FROM pinned_lists");
    expect((await pins.list(key, kind))?.listed).toBe("");
  });
});
