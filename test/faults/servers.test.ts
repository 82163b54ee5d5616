import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { isAlive } from "../gateway/connect.ts";
import { leftOf, type Rig, startRig } from "./rig.ts";

// A server process that misbehaves, behind a real gateway. Each row has a server of its own.

let rig: Rig;

beforeAll(async () => {
  const impatient = { timeoutSeconds: 2 };
  rig = await startRig({
    F01: {},
    F02: {},
    F03: { options: ["at-start=exit"] },
    F04: { options: ["at-start=exit-after"] },
    F05: { options: ["at-start=hang"], startTimeoutSeconds: 2 },
    F06: impatient,
    F07: impatient,
    F08: impatient,
    F09: { options: ["stubborn"] },
    F10: {},
    F11: {},
    F12: { options: [], cwd: "/no/such/folder" },
    F13: { env: { NODE_OPTIONS: "--max-old-space-size=32" } },
    F14: {},
    F15: {},
    F17: impatient,
    F18: impatient,
    F19: {},
    F21: {},
    F22: impatient,
    F23: {},
    F24: {},
    untidy: { options: ["banner", "boasts"] },
    narrow: { maxParallelCalls: 2 },
  });
});

// The end of the rig is a test too: nothing is left, and no call was made twice.
afterAll(() => rig[Symbol.asyncDispose]());

describe.concurrent("a server process", () => {
  test("F01 that is killed while idle is started again by the next call", async () => {
    const { text: pid } = await rig.work("F01", "pid");
    process.kill(Number(pid), "SIGKILL");
    await vi.waitFor(async () => expect(await rig.state("F01")).toBe("failed"), 15_000);
    const { text: next } = await rig.work("F01", "pid");
    expect(Number(next)).not.toBe(Number(pid));
  });

  test("F02 that is killed during calls fails those as unknown, and is not called again for them", async () => {
    const hanging = rig.work("F02", "hang");
    await vi.waitFor(() => expect(rig.log("F02")).toHaveLength(1), 10_000);
    const began = performance.now();
    const [killed, hung] = await Promise.all([rig.work("F02", "kill"), hanging]);
    for (const { error } of [killed, hung]) {
      expect(error).toMatchObject({ code: "server_closed", delivery: "unknown" });
      expect(error?.message).toContain("was ended by SIGKILL");
    }
    expect(performance.now() - began).toBeLessThan(15_000);
    const guest = await rig.run(
      'import { work } from "mcp_tools/F02"; await work({ do: "kill", call: "guest" }).catch((error) => [error.name, error.delivery])',
    );
    expect(guest["error"]).toBeUndefined();
    expect(guest).toMatchObject({ status: "ok", result: ["ToolError", "unknown"] });
    expect(rig.log("F02").filter((call) => call === "guest")).toHaveLength(1);
  });

  test.each(["F03", "F04"])(
    "%s that ends at its start, or right after it, is tried less and less often",
    async (name) => {
      const outcomes = [];
      for (let tries = 0; tries < 6; tries++) outcomes.push(await rig.work(name, "ok"));
      const resting = outcomes.find(({ error }) => error?.code === "server_resting");
      expect(resting?.error).toMatchObject({ delivery: "not_sent" });
      expect(resting?.error?.retryAfterMs).toBeGreaterThan(0);
      if (name === "F03") expect(resting?.error?.message).toContain("the database is missing");
      expect(["resting", "failed"]).toContain(await rig.state(name));
    },
  );

  test("F05 that hangs at its start is given up after its time, and others are usable meanwhile", async () => {
    const starting = rig.work("F05", "ok");
    await rig.checkWell();
    const { error, milliseconds } = await starting;
    expect(error).toMatchObject({ code: "server_start_failed", delivery: "not_sent" });
    expect(error?.message).toContain("no answer within 2 s");
    expect(milliseconds).toBeLessThan(20_000);
  });

  test("F06 that hangs on one call is told of the cancel and serves on; its late answer reaches nobody", async () => {
    const { text: pid } = await rig.work("F06", "pid");
    const { error } = await rig.work("F06", "late", { ms: 3000 });
    expect(error).toMatchObject({ code: "call_timeout", delivery: "unknown" });
    const after = await Promise.all(["pid", "pid"].map((does) => rig.work("F06", does)));
    expect(after.map(({ text }) => text)).toEqual([pid, pid]);
    expect(rig.log("F06")).toContain("cancelled");
    await delay(1500);
    expect(await rig.work("F06", "pid")).toMatchObject({ text: pid });
  });

  test("F07 that tells of progress for ever gets no more time for it", async () => {
    const { error, milliseconds } = await rig.work("F07", "progress");
    expect(error).toMatchObject({ code: "call_timeout", delivery: "unknown" });
    expect(milliseconds).toBeLessThan(15_000);
  });

  test("F08 that is frozen is found out, ended and started again", async () => {
    const { text: pid } = await rig.work("F08", "pid");
    expect((await rig.work("F08", "stop")).error).toMatchObject({ code: "call_timeout", delivery: "unknown" });
    await vi.waitFor(async () => expect(await rig.state("F08")).toBe("failed"), { timeout: 15_000, interval: 200 });
    expect(await leftOf([Number(pid)], 6000)).toEqual([]);
    const again = await rig.work("F08", "pid");
    expect(Number(again.text)).not.toBe(Number(pid));
  });

  test("F09 that ignores the end of its stdin and SIGTERM is gone when the gateway is", async () => {
    expect((await rig.work("F09", "ok")).text).toBe("done");
    // What the end of the rig looks for, after all tests.
  });

  test("F10 that left a child with its pipes fails at once, and the child goes too", async () => {
    const { text: child } = await rig.work("F10", "child");
    const { error, milliseconds } = await rig.work("F10", "exit");
    expect(error).toMatchObject({ code: "server_closed", delivery: "unknown" });
    expect(error?.message).toContain("out of luck");
    expect(milliseconds).toBeLessThan(15_000);
    expect(await leftOf([Number(child)], 15_000)).toEqual([]);
  });

  test.runIf(process.platform === "linux")(
    "F11 that left a daemon in a session of its own takes it along",
    async () => {
      const { text: daemon } = await rig.work("F11", "daemon");
      expect(isAlive(Number(daemon))).toBe(true);
      await rig.work("F11", "exit");
      expect(await leftOf([Number(daemon)], 15_000)).toEqual([]);
    },
  );

  test("F12 whose folder is not there is refused in words", async () => {
    const { error } = await rig.work("F12", "ok");
    expect(error).toMatchObject({ code: "server_start_failed", delivery: "not_sent" });
    expect(error?.message).toContain("/no/such/folder");
  });

  test("F13 that runs out of memory is told by its last words, and started again", async () => {
    const { error } = await rig.work("F13", "memory");
    expect(error).toMatchObject({ code: "server_closed", delivery: "unknown" });
    expect(error?.message).toMatch(/SIGABRT|heap|memory/i);
    expect((await rig.work("F13", "ok")).text).toBe("done");
  });

  test("F14 that changes its tools is listed again before the next search", async () => {
    await rig.work("F14", "change");
    await vi.waitFor(async () => {
      const tools = await rig.gateway.call("list_tools", { server_name: "F14" });
      expect(JSON.stringify(tools.structuredContent)).toContain("version 2");
    }, 10_000);
  });

  test("F15 is started once for all calls that come together, each with its own time", async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => rig.work("F15", "pid")));
    expect(new Set(outcomes.map(({ text }) => text)).size).toBe(1);
  });

  test("F17 that loses every call is left alone, then one call finds out that it is well", async () => {
    rig.script("F17", "hang");
    for (let lost = 0; lost < 5; lost++) {
      expect((await rig.work("F17", "ok")).error).toMatchObject({ code: "call_timeout", delivery: "unknown" });
    }
    // The notice that the last one was given up may come later.
    const called = () => rig.log("F17").filter((line) => line !== "cancelled").length;
    const calls = called();
    const refused = await Promise.all(Array.from({ length: 10 }, () => rig.work("F17", "ok")));
    for (const { error } of refused) {
      expect(error).toMatchObject({ code: "server_resting", delivery: "not_sent" });
      expect(error?.retryAfterMs).toBeGreaterThan(0);
    }
    expect(called()).toBe(calls);
    expect(await rig.state("F17")).toBe("resting");
    rig.script("F17", "late");
    await delay((refused[0]?.error?.retryAfterMs ?? 0) + 50);
    const probes = await Promise.all(Array.from({ length: 5 }, () => rig.work("F17", "ok", { ms: 500 })));
    expect(probes.filter(({ text }) => text === "late")).toHaveLength(1);
    expect(called()).toBe(calls + 1);
    rig.script("F17", "");
    expect((await rig.work("F17", "ok")).text).toBe("done");
  });

  test("F18 whose callers give up is told so, and not counted as ill", async () => {
    const code = 'import { work } from "mcp_tools/F18"; await work({ do: "hang" })';
    for (let cancelled = 0; cancelled < 6; cancelled++) {
      expect(await rig.run(code, { timeout: 1 })).toMatchObject({ status: "timeout" });
    }
    expect((await rig.work("F18", "ok")).text).toBe("done");
    expect(rig.log("F18").filter((line) => line === "cancelled").length).toBeGreaterThanOrEqual(5);
  });

  test("with two places serves two calls at a time, and callers in turn", async () => {
    const slow = Array.from({ length: 6 }, () => rig.work("narrow", "late", { ms: 200 }));
    const outcomes = await Promise.all(slow);
    expect(outcomes.every(({ text }) => text === "late")).toBe(true);
    const slowest = Math.max(...outcomes.map(({ milliseconds }) => milliseconds));
    expect(slowest).toBeGreaterThanOrEqual(590);
  });
});

describe.concurrent("what a server writes", () => {
  test.each(["garbage", "together", "crlf", "notices"])("F19 F20 may be %s beside its answer", async (does) => {
    expect((await rig.work("untidy", does)).text).toBe("done");
  });

  test("F19 may come byte by byte, cut within a character", async () => {
    expect((await rig.work("F19", "bytes", { text: "größer 😀" })).text).toBe("größer 😀");
  });

  test("F21 may be a line without an end: the connection goes, the gateway stays small", async () => {
    const { error } = await rig.work("F21", "flood");
    expect(error).toMatchObject({ code: "server_closed", delivery: "unknown" });
    expect(error?.message).toContain("more than 64 MB");
    expect((await rig.work("F21", "ok")).text).toBe("done");
  });

  test("F22 may be answers to others, or twice the same: the right call waits, the wrong answer reaches nobody", async () => {
    expect((await rig.work("F22", "wrong-id")).error).toMatchObject({ code: "call_timeout", delivery: "unknown" });
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => rig.work("F22", "twice")));
    const texts = outcomes.map(({ text }) => text);
    expect(new Set(texts).size).toBe(10);
    expect(texts.every((text) => text?.startsWith("first "))).toBe(true);
  });

  test("F23 may break the shape of a result: that call fails, or is handed on as it is", async () => {
    const { error } = await rig.work("F23", "partial");
    expect(error).toMatchObject({ code: "server_closed", delivery: "unknown" });
    expect((await rig.work("F23", "malformed", { result: { content: "no list" } })).milliseconds).toBeLessThan(30_000);
    expect((await rig.work("F23", "ok")).text).toBe("done");
  });

  test("F24 may be 20 MB on stderr without a newline", async () => {
    expect((await rig.work("F24", "stderr")).text).toBe("done");
  });
});
