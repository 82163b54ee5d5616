import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createApprovalsInMemory } from "../../test/stores/in-memory/approvals.ts";
import { type Actor, local, type Run } from "../actor.ts";
import { toolCall } from "../door/act.ts";
import { canonicalJson } from "../door/canonical-json.ts";
import type { Asking } from "../door/gate.ts";
import type { CoordinatorError } from "../errors.ts";
import type { Approval } from "./approval.ts";
import type { Answer, Asker } from "./asker.ts";
import { createDesk } from "./desk.ts";
import type { DeskOptions } from "./desk-options.ts";

beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
    }),
);
afterEach(() => void vi.useRealTimers());

const asking = { ask: 'the rule "mail"', decided: { decision: "ask" as const, rule: "mail" } };
const minute = 60_000;

/** A desk with a run that waits at it, and what became of the run. */
function createScene(options: Partial<DeskOptions> = {}, asks: Asking = asking) {
  const store = createApprovalsInMemory();
  const events: string[] = [];
  const changed = new Set<() => void>();
  const now = vi.fn();
  const subject = { identity: "id", definition: "first" };
  const desk = createDesk({
    store,
    settings: { channels: ["client", "cli"], waitSeconds: 45, parkMinutes: 10, expireHours: 24 },
    subjectOf: () => ({ ...subject }),
    askersOf: () => [],
    askers: [],
    doneIn: async () => 3,
    rules: { now, onChange: (listener) => void changed.add(listener) },
    ...options,
  });
  const stop = new AbortController();
  const actor: Actor = { ...local, signal: stop.signal };
  const runNamed = (id: string): Run => ({
    id,
    language: "typescript",
    patience: {
      caller: undefined,
      async during(work) {
        events.push("stands still");
        await work;
        events.push("goes on");
      },
      leave: ({ message }) => void events.push(`left: ${message}`),
      end: ({ message }) => void events.push(`ended: ${message}`),
    },
  });
  const run = runNamed("r1");
  const ask = (to = "a", within = run) => {
    const args = { to };
    return desk.approve(asks, {
      act: toolCall("gmail", "send_mail", args),
      actor,
      run: within,
      argsText: canonicalJson(args),
    });
  };
  const asked = async (): Promise<readonly Approval[]> => {
    await vi.advanceTimersByTimeAsync(30);
    return store.list({ states: ["pending"] });
  };
  const decide = async (
    approval: Approval | undefined,
    state: "approved" | "rejected",
    scope: "once" | "run" = "once",
  ) => {
    const said = state === "approved" ? { state, scope } : { state };
    return store.decide(approval?.id ?? "", { ...said, by: "anna", channel: "cli" });
  };
  return { desk, store, events, changed, now, subject, stop, run, runNamed, ask, asked, decide };
}

const refused = async (next: Promise<unknown>) => ((await next) as { refusal: CoordinatorError }).refusal;

test("a run is answered after waitSeconds, ends after parkMinutes, and what it asked can still be decided", async () => {
  const { events, store, ask, asked } = createScene();
  const next = ask().next();
  await asked();
  expect(events).toEqual(["stands still"]);
  await vi.advanceTimersByTimeAsync(45_000);
  expect(events[1]).toMatch(/^left: Waiting for approval of 1 call \(gmail\.send_mail\); 3 calls are done/);
  await vi.advanceTimersByTimeAsync(10 * minute);
  expect(events.find((event) => event.startsWith("ended"))).toMatch(/nobody decided within 10 minutes/);
  expect(await refused(next)).toMatchObject({ code: "needs_approval" });
  expect(await store.list({ states: ["pending"] })).toHaveLength(1);
});

test("however often a run waits, its request does so for waitSeconds in all", async () => {
  const { events, ask, asked, decide } = createScene();
  for (const _time of [1, 2]) {
    const next = ask(String(events.length)).next();
    const [approval] = await asked();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(events.some((event) => event.startsWith("left"))).toBe(false);
    await decide(approval, "approved");
    expect(await next).toEqual({ approval: approval?.id });
  }
  void ask("third").next();
  await asked();
  await vi.advanceTimersByTimeAsync(5000);
  expect(events.some((event) => event.startsWith("left"))).toBe(true);
});

test("an answer lets it go on, and its clock with it", async () => {
  const { events, ask, asked, decide } = createScene();
  const next = ask().next();
  const [approval] = await asked();
  expect(approval).toMatchObject({ run: "r1", tool: "send_mail", args: '{"to":"a"}', rule: "mail", identity: "id" });
  await decide(approval, "approved");
  expect(await next).toEqual({ approval: approval?.id });
  expect(events).toEqual(["stands still", "goes on"]);
});

test("a no is not asked about again, and after five of them a run asks no more", async () => {
  const { ask, asked, decide } = createScene();
  for (const to of ["a", "b", "c", "d", "e"]) {
    const next = ask(to).next();
    await decide((await asked())[0], "rejected");
    expect(await refused(next)).toMatchObject({ code: "approval_rejected" });
    expect(() => ask(to)).toThrow(/already in this run/);
  }
  expect(() => ask("f")).toThrow(/so often in this run/);
});

test("what nobody decided in time has expired", async () => {
  const settings = { channels: ["cli" as const], waitSeconds: 45, parkMinutes: 24 * 60, expireHours: 1 };
  const { ask, asked } = createScene({ settings });
  const next = ask().next();
  await asked();
  await vi.advanceTimersByTimeAsync(60 * minute);
  expect(await refused(next)).toMatchObject({ code: "approval_expired" });
});

test("a tool that says something else by then is not called", async () => {
  const { ask, asked, decide, subject, store } = createScene();
  const next = ask().next();
  const [approval] = await asked();
  subject.definition = "second";
  await decide(approval, "approved");
  expect(await refused(next)).toMatchObject({ code: "tool_changed" });
  expect(await store.get(approval?.id ?? "")).toMatchObject({ state: "void" });
});

test("other rules have it judged again, and drop what nobody needs to decide", async () => {
  const { ask, asked, changed, store } = createScene();
  const hold = ask();
  const next = hold.next();
  const [approval] = await asked();
  for (const listener of changed) listener();
  expect(await next).toBe("judge again");
  const waiting = hold.next();
  await hold.drop(undefined);
  expect(await refused(waiting)).toMatchObject({ code: "approval_expired" });
  expect(await store.get(approval?.id ?? "")).toMatchObject({ state: "void", note: "the rules allow it now" });
});

test("the rules are looked at while something waits, and not longer", async () => {
  const { ask, asked, now, decide } = createScene();
  void ask().next();
  const [approval] = await asked();
  await vi.advanceTimersByTimeAsync(3000);
  const looks = now.mock.calls.length;
  expect(looks).toBeGreaterThanOrEqual(2);
  await decide(approval, "approved");
  await vi.advanceTimersByTimeAsync(5000);
  expect(now.mock.calls.length).toBeLessThanOrEqual(looks + 1);
});

test("a run that is cancelled asks nobody any more", async () => {
  const { ask, asked, stop, store } = createScene();
  const next = ask().next();
  const [approval] = await asked();
  stop.abort();
  expect(await refused(next)).toMatchObject({ code: "approval_expired" });
  await nextTurn();
  expect(await store.get(approval?.id ?? "")).toMatchObject({ state: "void" });
});

test("a program that ends leaves what it asked to be decided", async () => {
  const { desk, ask, asked, store, events } = createScene();
  const next = ask().next();
  await asked();
  desk.close();
  expect(await refused(next)).toMatchObject({ code: "needs_approval" });
  expect(events.some((event) => event.startsWith("ended"))).toBe(true);
  expect(await store.list({ states: ["pending"] })).toHaveLength(1);
  expect(() => ask("b")).toThrow(/is ending/);
});

test("an approval for the run lets its tool pass a hundred times, in this run and as it is defined", async () => {
  const { ask, asked, decide, subject, runNamed, store } = createScene();
  const first = ask().next();
  const [approval] = await asked();
  await decide(approval, "approved", "run");
  expect(await first).toEqual({ approval: approval?.id });
  for (let use = 2; use <= 100; use++) expect(await ask(`${use}`).next()).toEqual({ approval: approval?.id });
  void ask("too many").next();
  void ask("other run", runNamed("r2")).next();
  subject.definition = "second";
  void ask("other definition").next();
  expect((await asked()).map(({ args }) => JSON.parse(args).to).sort()).toEqual([
    "other definition",
    "other run",
    "too many",
  ]);
  expect(await store.list({})).toHaveLength(4);
});

test("a run asks about a hundred acts at once, and about the others when some of these are decided", async () => {
  const { ask, asked, decide } = createScene();
  const all = Array.from({ length: 250 }, (_, count) => ask(String(count)).next());
  const first = await asked();
  expect(first).toHaveLength(100);
  for (const approval of first) await decide(approval, "approved");
  await vi.advanceTimersByTimeAsync(300);
  const second = await asked();
  expect(second).toHaveLength(100);
  for (const approval of second) await decide(approval, "approved");
  await vi.advanceTimersByTimeAsync(300);
  for (const approval of await asked()) await decide(approval, "approved");
  expect(new Set((await Promise.all(all)).map((next) => JSON.stringify(next))).size).toBe(250);
});

test("an approval for the run lets those pass that wait already, a hundred in all, and none that was denied", async () => {
  const { ask, asked, decide, store } = createScene();
  const all = Array.from({ length: 150 }, (_, count) => ask(String(count)).next());
  const [first, denied] = await asked();
  // Both have come by the time that anybody looks.
  await Promise.all([decide(denied, "rejected"), decide(first, "approved", "run")]);
  await vi.advanceTimersByTimeAsync(300);
  const left = await asked();
  expect(left).toHaveLength(49);
  expect(await refused(all[1] as Promise<unknown>)).toMatchObject({ code: "approval_rejected" });
  const rows = await store.list({});
  expect(rows.filter(({ state, decidedBy }) => state === "approved" && decidedBy === "anna")).toHaveLength(99);
  expect(rows.filter(({ scope }) => scope === "run").map(({ id }) => id)).toEqual([first?.id]);
});

test("several approvals for the run of one tool let a hundred calls of it pass, not a hundred each", async () => {
  const { ask, asked, decide } = createScene();
  const both = [ask("a").next(), ask("b").next()];
  await Promise.all((await asked()).map((one) => decide(one, "approved", "run")));
  await Promise.all(both);
  for (let use = 3; use <= 100; use++) expect(await ask(`${use}`).next()).toHaveProperty("approval");
  void ask("too many").next();
  expect(await asked()).toHaveLength(1);
});

test("acts that no guest makes wait in limited number, and all that waits in limited length", async () => {
  const { ask, runNamed, run } = createScene();
  const alone = (id: string): Run => ({ ...runNamed(id), language: "none" });
  for (let count = 0; count < 64; count++) void ask("a", alone(`r${count}`)).next();
  expect(() => ask("one more", alone("another"))).toThrow(/so much waits for the user already/);
  const large = "x".repeat(30 * 1024 * 1024);
  for (let count = 0; count < 2; count++) void ask(`${large}${count}`, run).next();
  expect(() => ask(large, run)).toThrow(/so much waits for the user already/);
});

test.each([
  ["cli", ["client", "cli"], undefined, /in a terminal: `mcp-coordinator approvals allow a\w{8}`, or `deny`\. Tell/],
  ["the client", ["client"], undefined, /^The user decides in the AI client: resume_run asks them there/],
  ["the client, by a rule", ["client", "cli"], "client", /^The user decides in the AI client: resume_run/],
  [
    "nobody yet",
    ["dashboard"],
    undefined,
    /dashboard, which is not there yet: .* only deny it \(`mcp-coordinator appro/,
  ],
  ["nobody yet, by a rule", ["client", "cli"], "dashboard", /^What waits is left to the dashboard, which is not/],
] as const)("who waits is told where it is decided: by %s", async (_who, channels, approver, told) => {
  const settings = { channels, waitSeconds: 45, parkMinutes: 10, expireHours: 24 };
  const { desk, ask, asked } = createScene({ settings }, { ...asking, approver });
  void ask("a").next();
  await asked();
  expect((await desk.explain("r1"))?.hint).toMatch(told);
});

describe("a person who can be asked", () => {
  /** One whose answers are given by the test. */
  function createPerson(answerTo: (asked: readonly { id: string }[]) => Promise<Record<string, Answer>>) {
    const questions: number[] = [];
    const late: Approval[] = [];
    const asker: Asker = {
      channel: "client",
      who: "the user",
      canShow: () => true,
      async ask(asked, signal) {
        questions.push(asked.length);
        const gone = new Promise<never>((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
        );
        return new Map(Object.entries(await Promise.race([answerTo(asked), gone])));
      },
      tooLate: (approval) => void late.push(approval),
    };
    return { asker, questions, late };
  }
  const caller = { id: "c", capabilities: {}, ask: async () => undefined };

  function createAsked(answerTo: Parameters<typeof createPerson>[0]) {
    const person = createPerson(answerTo);
    const scene = createScene({ askersOf: () => [person.asker] });
    const run = { ...scene.run, patience: { ...(scene.run.patience as NonNullable<Run["patience"]>), caller } };
    return { ...scene, ...person, ask: (to: string) => scene.ask(to, run) };
  }

  test("gets what comes together as one question, and decides each by itself", async () => {
    const { ask, asked, questions } = createAsked(async ([one, two]) => ({
      [one?.id ?? ""]: "allow once",
      [two?.id ?? ""]: "deny",
    }));
    const [one, two] = [ask("a").next(), ask("b").next()];
    await asked();
    expect(await one).toHaveProperty("approval");
    expect(await refused(two)).toMatchObject({ code: "approval_rejected" });
    expect(questions).toEqual([2]);
  });

  test("who allows one in this run has said nothing of the others that they were asked about with it", async () => {
    const { ask, asked } = createAsked(async ([one]) => ({ [one?.id ?? ""]: "allow in this run" }));
    const [one] = [ask("a").next(), ask("b").next()];
    await asked();
    expect(await one).toHaveProperty("approval");
    expect(await asked()).toMatchObject([{ args: '{"to":"b"}' }]);
  });

  test("who says not now is not waited for", async () => {
    const { ask, asked, events } = createAsked(async () => ({}));
    void ask("a").next();
    expect(await asked()).toHaveLength(1);
    expect(events.some((event) => event.startsWith("left"))).toBe(true);
  });

  test("is not asked any longer when another has decided", async () => {
    const person = createPerson(() => new Promise(() => {}));
    const taken = vi.fn();
    const asker: Asker = {
      ...person.asker,
      ask(asked, signal) {
        signal.addEventListener("abort", taken);
        return person.asker.ask(asked, signal);
      },
    };
    const scene = createScene({ askers: [asker] });
    const next = scene.ask("a").next();
    const [approval] = await scene.asked();
    expect(taken).not.toHaveBeenCalled();
    await scene.decide(approval, "approved");
    expect(await next).toEqual({ approval: approval?.id });
    await nextTurn();
    expect(taken).toHaveBeenCalledTimes(1);
  });

  test("is told when another was first", async () => {
    const ids: string[] = [];
    let answer: (said: Record<string, Answer>) => void = () => {};
    const { ask, asked, store, late } = createAsked((them) => {
      ids.push(...them.map(({ id }) => id));
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    const pair = [ask("a").next(), ask("b").next()];
    await asked();
    // The first is decided elsewhere while the question about both is open.
    await store.decide(ids[0] ?? "", { state: "rejected", by: "anna", channel: "cli" });
    answer({ [ids[0] ?? ""]: "allow once", [ids[1] ?? ""]: "allow once" });
    expect(await refused(pair[0] as Promise<unknown>)).toMatchObject({ code: "approval_rejected" });
    expect(await pair[1]).toEqual({ approval: ids[1] });
    expect(late).toMatchObject([{ id: ids[0], decidedBy: "anna", state: "rejected" }]);
  });
});
