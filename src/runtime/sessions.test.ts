import { afterEach, describe, expect, test, vi } from "vitest";
import type { Sandbox } from "../sandbox/engine.ts";
import { createSessions } from "./sessions.ts";

class FakeSandbox implements Sandbox {
  ended = false;
  run = async () => ({ end: "ok" }) as const;
  kill(): void {
    this.ended = true;
  }
}

const key = (name: string, language: "typescript" | "python" = "python") => ({ name, language });
const start = async () => new FakeSandbox();
const options = { idleMs: 60_000, most: 3 };

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
  expect(sessions.list()).toEqual([key("a"), key("b"), key("a", "typescript")]);
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
    expect([sandbox.ended, sessions.list()]).toEqual([true, []]);
    const use = () => sessions.use(key("a"), start, async ({ kept }) => kept);
    await expect(use()).rejects.toMatchObject({
      code: "session_lost",
      message: 'The session "a" is gone, with all that it held: it was not used for 1 minutes',
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
    expect(sessions.list().map(({ name }) => name)).toEqual(["a", "c", "d"]);
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

test("a run that took its session with it has said so itself: the next starts anew", async () => {
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
  expect([sandbox.ended, sessions.list()]).toEqual([true, []]);
});

test("busy sessions are not ended for another one", async () => {
  const sessions = createSessions({ ...options, most: 1 });
  await sessions.use(key("a"), start, async () => {
    await expect(sessions.use(key("b"), start, async () => {})).rejects.toMatchObject({ code: "session_limit" });
  });
});

test("a sandbox that does not start leaves no session behind", async () => {
  const sessions = createSessions(options);
  const broken = () => Promise.reject(new Error("no"));
  await expect(sessions.use(key("a"), broken, async () => {})).rejects.toThrow("no");
  expect(sessions.list()).toEqual([]);
});

test("closing ends all", async () => {
  const sessions = createSessions(options);
  const sandbox = await sessions.use(key("a"), start, async (session) => session.sandbox);
  sessions.close();
  expect(sandbox.ended).toBe(true);
});
