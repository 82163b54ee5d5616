import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createApprovalId, type Decision, mostOfRun, type NewApproval } from "../../src/approvals/approval.ts";
import type { ApprovalStore } from "../../src/approvals/approval-store.ts";
import { createApprovalsInMemory, keptApprovals } from "./in-memory/approvals.ts";
import { openStores } from "./open-stores.ts";

// Every store of approvals keeps to this.

afterEach(() => vi.useRealTimers());

/** Opens the store of an owner; all of one test share what is kept. */
type Owners = (principal?: string) => ApprovalStore;

const implementations: [string, () => Owners][] = [
  [
    "sqlite",
    () => {
      const open = openStores();
      return (principal) => open(principal).approvals;
    },
  ],
  [
    "in memory",
    () => {
      const shared = keptApprovals();
      return (principal = "local") => createApprovalsInMemory({ shared, principal });
    },
  ],
];

function asked(more: Partial<NewApproval> = {}): NewApproval {
  return {
    id: createApprovalId(),
    run: "r1",
    kind: "tool",
    server: "mail",
    tool: "send",
    identity: "i",
    definition: "d",
    argsHash: "h",
    args: '{"to":"a@b"}',
    via: "code",
    rule: "mail",
    policy: "p",
    reason: 'the rule "mail"',
    approver: undefined,
    askedAt: Date.now(),
    expiresAt: Date.now() + 60_000,
    ...more,
  };
}

const undecided = {
  ...{ state: "pending", uses: 0, most: 1, scope: undefined, note: undefined },
  ...{ decidedAt: undefined, decidedBy: undefined, channel: undefined },
};
const allowed: Decision = { state: "approved", scope: "once", by: "me", channel: "cli" };
const rejected: Decision = { state: "rejected", by: "you", channel: "client" };

describe.each(implementations)("a store of approvals, %s", (_implementation, owners) => {
  test("what was asked reads back whole, the oldest first", async () => {
    const store = owners()();
    const hostile = '\u0000\ud800"\n\u001b[31m';
    const one = asked({ askedAt: 2, tool: hostile, args: JSON.stringify(hostile), reason: hostile, rule: undefined });
    const other = asked({ askedAt: 1, approver: "dashboard", run: "r2" });
    await store.ask([one, other]);
    expect(await store.get(one.id)).toEqual({ ...one, ...undecided });
    expect((await store.list({})).map(({ id }) => id)).toEqual([other.id, one.id]);
    expect((await store.list({ run: "r2" })).map(({ id }) => id)).toEqual([other.id]);
    expect(await store.list({ states: ["approved", "void"] })).toEqual([]);
    expect(await store.list({ limit: 1 })).toHaveLength(1);
    expect((await store.list({ prefix: one.id.slice(0, 6) })).map(({ id }) => id)).toEqual([one.id]);
    for (const prefix of ["%", "a_", one.id.toUpperCase()]) expect(await store.list({ prefix })).toEqual([]);
    expect(await store.list({ prefix: "", run: "r1" })).toHaveLength(1);
    expect(await store.get("a1")).toBeUndefined();
  });

  test("all of a question are kept, or none", async () => {
    const store = owners()();
    const one = asked();
    await store.ask([one]);
    await expect(store.ask([asked({ run: "r2" }), one])).rejects.toThrow();
    expect(await store.list({ run: "r2" })).toEqual([]);
  });

  test("who decides first decides, and whoever is late learns what was decided, and by whom", async () => {
    vi.useFakeTimers({ now: 1000, toFake: ["Date"] });
    const open = owners();
    const [store, elsewhere] = [open(), open()];
    const one = asked();
    await store.ask([one]);
    vi.setSystemTime(1500);
    const first = await store.decide(one.id, rejected);
    const late = await elsewhere.decide(one.id, allowed);
    const approval = { ...one, ...undecided, state: "rejected", decidedBy: "you", channel: "client", decidedAt: 1500 };
    expect(first).toEqual({ approval, isFirst: true });
    expect(late).toEqual({ approval, isFirst: false });
    expect(await store.decide("a1", allowed)).toBeUndefined();
  });

  test("one for a run may be used often, one for a call once", async () => {
    const store = owners()();
    const [once, run] = [asked(), asked()];
    await store.ask([once, run]);
    await store.decide(once.id, allowed);
    await store.decide(run.id, { ...allowed, scope: "run" });
    expect(await store.get(once.id)).toMatchObject({ state: "approved", scope: "once", most: 1 });
    expect(await store.get(run.id)).toMatchObject({ state: "approved", scope: "run", most: mostOfRun });
  });

  test("what is void can be neither decided nor made void again", async () => {
    const store = owners()();
    const [pending, approved, refused] = [asked(), asked(), asked()];
    await store.ask([pending, approved, refused]);
    await store.decide(approved.id, allowed);
    await store.decide(refused.id, rejected);
    const ids = [pending.id, approved.id, refused.id, "a1"];
    expect([...(await store.void(ids, "the tool changed"))].sort()).toEqual([pending.id, approved.id].sort());
    expect(await store.void(ids, "again")).toEqual([]);
    expect(await store.get(pending.id)).toMatchObject({ state: "void", note: "the tool changed" });
    expect(await store.decide(pending.id, allowed)).toMatchObject({ isFirst: false, approval: { state: "void" } });
    expect(await store.get(refused.id)).toMatchObject({ state: "rejected" });
  });

  test("past its time nothing can be decided, before and after somebody has noticed", async () => {
    vi.useFakeTimers({ now: 1000, toFake: ["Date"] });
    const store = owners()();
    const [pending, approved, later] = [asked(), asked(), asked({ expiresAt: 200_000 })];
    await store.ask([pending, approved, later]);
    await store.decide(approved.id, allowed);
    vi.setSystemTime(61_000);
    expect(await store.decide(pending.id, allowed)).toMatchObject({ isFirst: false, approval: { state: "pending" } });
    expect([...(await store.expire(Date.now()))].sort()).toEqual([pending.id, approved.id].sort());
    expect(await store.expire(Date.now())).toEqual([]);
    expect(await store.get(pending.id)).toMatchObject({ state: "expired" });
    expect(await store.decide(later.id, allowed)).toMatchObject({ isFirst: true });
  });

  test("who watches is called after each change, here and elsewhere, until they stop", async () => {
    const open = owners();
    const [store, elsewhere] = [open(), open()];
    const [first, second, third, fourth] = [asked(), asked(), asked(), asked({ expiresAt: 1 })];
    await store.ask([first, second, third, fourth]);
    const stop: (() => void)[] = [];
    onTestFinished(() => {
      for (const end of stop) end();
    });
    const changed = async (by: () => Promise<unknown>) => {
      let notice = () => {};
      const noticed = new Promise<void>((resolve) => {
        notice = resolve;
      });
      stop.push(store.watch(notice));
      await by();
      await noticed;
      stop.pop()?.();
    };
    await changed(() => store.decide(first.id, allowed));
    await changed(() => elsewhere.decide(second.id, rejected));
    await changed(() => elsewhere.void([third.id], "changed"));
    await changed(() => elsewhere.expire(2));
    let calls = 0;
    const count = () => {
      calls++;
    };
    const [stopOne, stopTwo] = [store.watch(count), store.watch(count)];
    stopOne();
    stopOne();
    stop.push(stopTwo);
    await store.ask([asked({ id: "a7" })]);
    await store.decide("a7", allowed);
    expect(calls).toBeGreaterThan(0);
    stopTwo();
    const before = calls;
    await store.ask([asked({ id: "a8" })]);
    await store.decide("a8", allowed);
    await changed(() => elsewhere.void(["a8"], "changed")); // by now the first would have called, too
    expect(calls).toBe(before);
  });

  test("a question is taken once, by its owner, with its fingerprint, and in its time", async () => {
    const open = owners();
    const [ours, theirs] = [open("us"), open("them")];
    const question = {
      fingerprint: "f",
      run: "r\u0000",
      approvals: { approval: ["a1", "a2"], approval_2: ["a3"] },
      expiresAt: Date.now() + 60_000,
    };
    await ours.keepQuestion("s1", question);
    await ours.keepQuestion("s2", { ...question, expiresAt: Date.now() - 1 });
    expect(await ours.takeQuestion("s1", "g")).toBeUndefined();
    expect(await theirs.takeQuestion("s1", "f")).toBeUndefined();
    expect(await ours.takeQuestion("s2", "f")).toBeUndefined();
    expect(await ours.takeQuestion("s1", "f")).toEqual(question);
    expect(await ours.takeQuestion("s1", "f")).toBeUndefined();
  });

  test("owners see, decide and end their own only", async () => {
    const open = owners();
    const [ours, theirs] = [open("us"), open("them")];
    const one = asked({ expiresAt: 1 });
    await ours.ask([one]);
    expect(await theirs.get(one.id)).toBeUndefined();
    expect(await theirs.list({})).toEqual([]);
    expect(await theirs.decide(one.id, allowed)).toBeUndefined();
    expect(await theirs.void([one.id], "x")).toEqual([]);
    expect(await theirs.expire(2)).toEqual([]);
    expect(await ours.get(one.id)).toMatchObject({ state: "pending" });
  });
});
