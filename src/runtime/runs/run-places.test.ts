import { expect, test } from "vitest";
import { type Actor, local } from "../../actor.ts";
import type { Execute } from "../execute.ts";
import type { RunRequest } from "../execute-request.ts";
import type { RunPlace } from "./run-place.ts";
import { createRunPlaces } from "./run-places.ts";

type ExecuteInPlace = (request: RunRequest, actor: Actor, place: RunPlace) => ReturnType<Execute>;

/** The same, each in a place of its own. */
function inTurn(execute: ExecuteInPlace, most: number): Execute {
  const places = createRunPlaces(most);
  return async (request, actor) => {
    const place = await places.take(actor);
    try {
      return await execute(request, actor, place);
    } finally {
      place.leave();
    }
  };
}

/** Runs that end when they are told to, and the order in which they began. */
function createRuns() {
  const began: string[] = [];
  const ends: (() => void)[] = [];
  const execute: Execute = ({ code }) => {
    began.push(code);
    return new Promise((resolve) =>
      ends.push(() => resolve({ status: "ok", run: code, calls: { total: 0, failed: 0 } })),
    );
  };
  return {
    began,
    execute,
    async endOne(): Promise<void> {
      ends.shift()?.();
      await new Promise(setImmediate);
    },
  };
}

const from = (id: string, code: string): [RunRequest, Actor] => [{ code }, actorOf(id)];

const actorOf = (id: string): Actor => ({
  ...local,
  caller: { id, capabilities: {}, ask: () => Promise.reject(new Error("nobody is asked here")) },
});

test("as many as may run, the rest by turns of their clients", async () => {
  const runs = createRuns();
  const execute = inTurn(runs.execute, 2);
  const asked = ["1", "2", "3", "4"].map((n) => execute(...from("eager", `eager ${n}`)));
  const late = execute(...from("late", "late 1"));
  await new Promise(setImmediate);
  expect(runs.began).toEqual(["eager 1", "eager 2"]);
  for (let ended = 0; ended < 3; ended++) await runs.endOne();
  expect(runs.began).toEqual(["eager 1", "eager 2", "eager 3", "late 1", "eager 4"]);
  await runs.endOne();
  await runs.endOne();
  await Promise.all([...asked, late]);
});

test("one that is cancelled while it waits does not run, and makes way", async () => {
  const runs = createRuns();
  const execute = inTurn(runs.execute, 1);
  const first = execute(...from("a", "first"));
  const stop = new AbortController();
  const said: string[] = [];
  const second = execute(
    { code: "second" },
    { ...actorOf("a"), signal: stop.signal, onProgress: (text) => said.push(text) },
  );
  const third = execute(...from("b", "third"));
  stop.abort();
  await expect(second).rejects.toMatchObject({
    code: "call_cancelled",
    message: expect.stringContaining("nothing has run"),
  });
  await runs.endOne();
  expect(runs.began).toEqual(["first", "third"]);
  expect(said).toEqual(["waits for its turn, as one of 1"]);
  await runs.endOne();
  await Promise.all([first, third]);
});

test("a run that fails gives its turn back", async () => {
  let count = 0;
  const execute = inTurn(async () => {
    if (count++ === 0) throw new Error("no engine");
    return { status: "ok", run: "x", calls: { total: 0, failed: 0 } };
  }, 1);
  await expect(execute({ code: "" }, local)).rejects.toThrow("no engine");
  await expect(execute({ code: "" }, local)).resolves.toMatchObject({ status: "ok" });
});

/** Runs whose question is open until they are told. */
function createAsking(most: number) {
  const events: string[] = [];
  const gates = new Map<string, () => void>();
  const wait = (name: string) => new Promise<void>((resolve) => gates.set(name, resolve));
  const execute = inTurn(async ({ code }, _actor, place) => {
    events.push(`${code} runs`);
    if (code.startsWith("asks")) {
      await place.forPerson(() => wait(code)).catch((thrown) => events.push(thrown.message));
      events.push(`${code} is answered`);
      await place.back;
      events.push(`${code} goes on`);
    }
    await wait(`end ${code}`);
    return { status: "ok", run: code, calls: { total: 0, failed: 0 } };
  }, most);
  const open = async (name: string): Promise<void> => {
    gates.get(name)?.();
    await new Promise(setImmediate);
  };
  return { events, execute, open };
}

test("another has the place of one that waits for an answer, which then waits for its turn again", async () => {
  const { events, execute, open } = createAsking(1);
  const asking = execute(...from("a", "asks"));
  const second = execute(...from("b", "second"));
  await new Promise(setImmediate);
  expect(events).toEqual(["asks runs", "second runs"]);
  const third = execute(...from("b", "third"));
  await open("asks");
  expect(events.slice(2)).toEqual(["asks is answered"]);
  await open("end second");
  expect(events.slice(3)).toEqual(["third runs"]);
  await open("end third");
  expect(events.slice(4)).toEqual(["asks goes on"]);
  await open("end asks");
  await Promise.all([asking, second, third]);
});

test("a run that ends while it waits for an answer takes no place", async () => {
  const turns = inTurn(async ({ code }, _actor, place) => {
    if (code === "quits") void place.forPerson(() => new Promise((resolve) => setImmediate(resolve)));
    return { status: "ok", run: code, calls: { total: 0, failed: 0 } };
  }, 1);
  await turns(...from("a", "quits"));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(await turns(...from("b", "next"))).toMatchObject({ run: "next" });
});

test("eight runs of a client wait for answers, no more", async () => {
  const { events, execute, open } = createAsking(1);
  const names = Array.from({ length: 9 }, (_, index) => `asks ${index}`);
  const runs = names.map((name) => execute(...from("a", name)));
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect(events).toContain("8 runs are waiting for answers already");
  expect(events).toContain("asks 8 goes on");
  await open("end asks 8");
  for (const name of names) {
    await open(name);
    await open(`end ${name}`);
  }
  await Promise.all(runs);
});

test("one that asks again before it has its place gets it in the end", async () => {
  const gates = new Map<string, () => void>();
  const wait = (name: string) => new Promise<void>((resolve) => gates.set(name, resolve));
  const execute = inTurn(async ({ code }, _actor, place) => {
    if (code === "other") await wait("other");
    else {
      await place.forPerson(() => wait("first answer"));
      const isBack = place.back?.then(() => "back");
      await place.forPerson(() => wait("second answer"));
      expect(await isBack).toBe("back");
    }
    return { status: "ok", run: code, calls: { total: 0, failed: 0 } };
  }, 1);
  const runs = [execute(...from("a", "asks twice")), execute(...from("b", "other"))];
  for (const name of ["first answer", "second answer", "other"]) {
    await new Promise(setImmediate);
    gates.get(name)?.();
  }
  expect(await Promise.all(runs)).toMatchObject([{ run: "asks twice" }, { run: "other" }]);
});

test("refuses when too many wait", async () => {
  const runs = createRuns();
  const execute = inTurn(runs.execute, 1);
  const all = Array.from({ length: 257 }, () => execute(...from("flood", "x")));
  await expect(execute(...from("flood", "y"))).rejects.toMatchObject({ code: "runs_busy" });
  const other = execute(...from("other", "z"));
  await runs.endOne();
  await runs.endOne();
  expect(runs.began).toContain("z");
  for (let ended = 0; ended < 258; ended++) await runs.endOne();
  await Promise.all([...all, other]);
});
