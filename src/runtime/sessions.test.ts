import { afterEach, describe, expect, test, vi } from "vitest";
import { local, type SessionOwner } from "../actor.ts";
import type { Sandbox } from "../sandbox/engine.ts";
import { createSessions } from "./sessions.ts";

class FakeSandbox implements Sandbox {
  ended = false;
  run = async () => ({ end: "ok" }) as const;
  kill(): void {
    this.ended = true;
  }
}

const ada = { ...local, id: "ada" };
const bob = { ...local, id: "bob" };
const shown = (name: string, language: "typescript" | "python" = "python") => ({ name, language });
const key = (name: string, language?: "typescript" | "python", owner: SessionOwner = ada) => ({
  owner,
  ...shown(name, language),
});
const start = async () => new FakeSandbox();
const options = { idleMs: 60_000, mostOfOne: 3, most: 4 };

afterEach(() => {
  vi.useRealTimers();
});

test("the same name and language get the same sandbox, any other gets its own", async () => {
  const sessions = createSessions(options);
  const sandboxOf = (name: string, language?: "typescript") =>
    sessions.use(key(name, language), start, async ({ sandbox }) => sandbox);
  const first = await sandboxOf("a");
  expect(await sandboxOf("a")).toBe(first);
  expect(await sandboxOf("b")).not.toBe(first);
  expect(await sandboxOf("a", "typescript")).not.toBe(first);
  expect(sessions.list(ada)).toEqual([shown("a"), shown("b"), shown("a", "typescript")]);
});

test("what a run defines is known to the next, the last definition of a name counts", async () => {
  const sessions = createSessions(options);
  await sessions.use(key("a"), start, async ({ keep }) => keep([{ name: "x" }, { name: "T", isType: true }]));
  await sessions.use(key("a"), start, async ({ keep }) =>
    keep([{ name: "x", from: { specifier: "m", member: "x" } }, { name: "T" }]),
  );
  expect(await sessions.use(key("a"), start, async ({ kept }) => kept)).toEqual([
    { name: "x", from: { specifier: "m", member: "x" } },
    { name: "T", isType: true },
    { name: "T" },
  ]);
});

test("those behind a run that waits for a person are told, and do not run after it; the session goes on", async () => {
  const sessions = createSessions(options);
  let end = () => {};
  let leave = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const how = (run: string, its: Promise<void>) => ({ run, left: its, waiting: (turn: Promise<unknown>) => turn });
  const never = new Promise<void>(() => {});
  const first = sessions.use(key("a"), start, () => over, how("r1", left));
  let hasRun = false;
  const work = async () => {
    hasRun = true;
  };
  const second = sessions.use(key("a"), start, work, how("r2", never));
  leave();
  await expect(second).rejects.toMatchObject({ code: "needs_approval", message: expect.stringContaining('"r1"') });
  const late = sessions.use(key("a"), start, async () => 3, how("r3", never));
  await expect(late).rejects.toMatchObject({ code: "needs_approval" });
  end();
  await first;
  expect(await sessions.use(key("a"), start, async () => 4, how("r4", never))).toBe(4);
  expect(hasRun).toBe(false);
  expect(sessions.list(ada)).toEqual([shown("a")]);
});

test("runs of one session wait for each other, those of others do not", async () => {
  const sessions = createSessions(options);
  const events: string[] = [];
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = sessions.use(key("a"), start, async () => {
    await gate;
    events.push("a1");
  });
  const second = sessions.use(key("a"), start, async () => events.push("a2"));
  await sessions.use(key("b"), start, async () => events.push("b"));
  release();
  await Promise.all([first, second]);
  expect(events).toEqual(["b", "a1", "a2"]);
});

describe("a session that has ended says so, once:", () => {
  test("idle", async () => {
    vi.useFakeTimers();
    const sessions = createSessions(options);
    const sandbox = await sessions.use(key("a"), start, async (session) => session.sandbox);
    vi.advanceTimersByTime(60_001);
    expect([sandbox.ended, sessions.list(ada)]).toEqual([true, []]);
    const use = () => sessions.use(key("a"), start, async ({ kept }) => kept);
    await expect(use()).rejects.toMatchObject({
      code: "session_lost",
      message: 'The session "a" is gone, with everything it held: it was not used for 1 minute',
    });
    expect(await use()).toEqual([]);
  });

  test("its process died between runs", async () => {
    const sessions = createSessions(options);
    const sandbox = await sessions.use(key("a"), start, async (session) => session.sandbox);
    sandbox.kill();
    await expect(sessions.use(key("a"), start, async () => 1)).rejects.toMatchObject({ code: "session_lost" });
    expect(await sessions.use(key("a"), start, async () => 1)).toBe(1);
  });

  test("it made room for others: the one that was not used for the longest time", async () => {
    const sessions = createSessions(options);
    for (const name of ["a", "b", "c", "a", "d"]) await sessions.use(key(name), start, async () => {});
    expect(sessions.list(ada).map(({ name }) => name)).toEqual(["a", "c", "d"]);
    await expect(sessions.use(key("b"), start, async () => {})).rejects.toMatchObject({ code: "session_lost" });
  });

  test("the run before ended it", async () => {
    const sessions = createSessions(options);
    const first = sessions.use(key("a"), start, async ({ sandbox }) => sandbox.kill());
    const second = sessions.use(key("a"), start, async () => 2);
    await first;
    await expect(second).rejects.toMatchObject({ code: "session_lost" });
    expect(await sessions.use(key("a"), start, async ({ sandbox }) => sandbox.ended)).toBe(false);
  });
});

test("a run that took its session with it has said so itself: the next starts a new one", async () => {
  const sessions = createSessions(options);
  await sessions.use(key("a"), start, async ({ sandbox, keep }) => {
    keep([{ name: "x" }]);
    sandbox.kill();
  });
  expect(await sessions.use(key("a"), start, async ({ kept }) => kept)).toEqual([]);
});

test("a session ends on request, after the run in it", async () => {
  const sessions = createSessions(options);
  expect(sessions.end(key("a"))).toBe(false);
  const sandbox = await sessions.use(key("a"), start, async (session) => {
    expect(sessions.end(key("a"))).toBe(true);
    expect(session.sandbox.ended).toBe(false);
    return session.sandbox;
  });
  expect([sandbox.ended, sessions.list(ada)]).toEqual([true, []]);
});

test("busy sessions are not ended for another one", async () => {
  const sessions = createSessions({ ...options, mostOfOne: 1 });
  await sessions.use(key("a"), start, async () => {
    await expect(sessions.use(key("b"), start, async () => {})).rejects.toMatchObject({ code: "session_limit" });
  });
});

test("a sandbox that does not start leaves no session behind", async () => {
  const sessions = createSessions(options);
  const broken = () => Promise.reject(new Error("no"));
  await expect(sessions.use(key("a"), broken, async () => {})).rejects.toThrow("no");
  expect(sessions.list(ada)).toEqual([]);
});

test("closing ends all", async () => {
  const sessions = createSessions(options);
  const sandbox = await sessions.use(key("a"), start, async (session) => session.sandbox);
  sessions.close();
  expect(sandbox.ended).toBe(true);
});

describe("clients", () => {
  const use = (sessions: ReturnType<typeof createSessions>, owner: SessionOwner, name = "main") =>
    sessions.use(key(name, "python", owner), start, async (session) => session);

  test("have their own under the same name, and see and end no others", async () => {
    const sessions = createSessions(options);
    const [hers, his] = [await use(sessions, ada), await use(sessions, bob)];
    expect(his.sandbox).not.toBe(hers.sandbox);
    await use(sessions, bob, "his");
    expect(sessions.list(ada)).toEqual([shown("main")]);
    expect(sessions.end(key("his"))).toBe(false);
    expect(sessions.end(key("main"))).toBe(true);
    expect([hers.sandbox.ended, his.sandbox.ended]).toEqual([true, false]);
  });

  test("are told of their own losses only", async () => {
    const sessions = createSessions(options);
    (await use(sessions, ada)).sandbox.kill();
    await use(sessions, bob);
    await expect(use(sessions, ada)).rejects.toMatchObject({ code: "session_lost" });
    expect((await use(sessions, bob)).lasts).toBe(true);
  });

  test("push out sessions of their own, never another's", async () => {
    const sessions = createSessions(options);
    const his = await use(sessions, bob);
    for (const name of ["a", "b", "c", "d", "e"]) await use(sessions, ada, name);
    expect(sessions.list(ada).map(({ name }) => name)).toEqual(["c", "d", "e"]);
    await expect(use(sessions, { ...local, id: "eve" })).rejects.toMatchObject({
      code: "session_limit",
      message: "There is no room for another session: at most 4 are kept for all clients",
    });
    await use(sessions, bob, "other");
    expect([his.lasts, sessions.list(bob)]).toEqual([false, [shown("other")]]);
  });

  test("that go take theirs with them, after the run in it", async () => {
    const sessions = createSessions(options);
    const [idle, his] = [await use(sessions, ada, "idle"), await use(sessions, bob)];
    const busy = await sessions.use(key("busy"), start, async (session) => {
      sessions.endAll(ada);
      expect([idle.sandbox.ended, session.sandbox.ended]).toEqual([true, false]);
      return session;
    });
    expect([busy.sandbox.ended, his.sandbox.ended, sessions.list(ada)]).toEqual([true, false, []]);
    expect((await use(sessions, ada, "idle")).lasts).toBe(true);
  });

  test("that cannot be told apart have what they know the name of", async () => {
    const sessions = createSessions(options);
    const [first, second] = [
      { ...local, id: "1", isAnonymous: true } as const,
      { ...local, id: "2", isAnonymous: true } as const,
    ];
    const one = await use(sessions, first);
    expect(one.name).toMatch(/^main-[a-z2-9]{13}$/);
    expect((await use(sessions, second)).sandbox).not.toBe(one.sandbox);
    expect((await use(sessions, second, one.name)).sandbox).toBe(one.sandbox);
    expect([sessions.list(first), sessions.end(key("main", "python", first))]).toEqual([[], false]);
    sessions.endAll(first);
    expect(one.lasts).toBe(true);
    expect(sessions.end(key(one.name, "python", second))).toBe(true);
    for (const name of [one.name, one.name]) {
      await expect(use(sessions, first, name)).rejects.toMatchObject({
        code: "session_lost",
        hint: "Nothing has run. Start another one, with a name such as main, and define what the code needs.",
      });
    }
  });

  test("of two principals have two sessions, whatever the id of the client and the name are", async () => {
    for (const isShared of [false, true]) {
      const sessions = createSessions({ ...options, isShared });
      const other = { ...ada, principal: "other" };
      const [hers, theirs] = [await use(sessions, ada), await use(sessions, other)];
      expect(theirs.sandbox).not.toBe(hers.sandbox);
      expect(sessions.list(other)).toEqual([shown("main")]);
      expect(sessions.end(key("main", "python", other))).toBe(true);
      expect([hers.lasts, theirs.lasts, sessions.list(other)]).toEqual([true, false, []]);
    }
  });

  test("share them by name where the user wants that", async () => {
    const sessions = createSessions({ ...options, isShared: true });
    const anonymous = { ...local, id: "1", isAnonymous: true } as const;
    const { sandbox, name } = await use(sessions, anonymous);
    sessions.endAll(ada);
    expect([(await use(sessions, ada)).sandbox, name, sessions.list(bob)]).toEqual([sandbox, "main", [shown("main")]]);
  });
});
