import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ServerConfig } from "../config/server.ts";
import { failureOf, faulty, isAlive, official, survivors, textOf } from "./test-servers.fixture.ts";
import { createUpstreams, type Upstreams, type UpstreamsOptions } from "./upstreams.ts";

let folder: string;
const opened: Upstreams[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "upstreams-"));
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((upstreams) => upstreams.close()));
  await rm(folder, { recursive: true });
});

function open(server: ServerConfig, options?: UpstreamsOptions): Upstreams {
  const upstreams = createUpstreams([server], options);
  opened.push(upstreams);
  return upstreams;
}

const calls = (log: string) => readFileSync(log, "utf8").trim().split("\n");

describe("calling", () => {
  test("a server is started by its first call and kept for the next", async () => {
    const upstreams = open(faulty());
    expect(upstreams.state("tested")).toMatchObject({ state: "idle", skippedLines: 0 });
    const first = textOf(await upstreams.to("tested").call("pid", {}));
    expect(textOf(await upstreams.to("tested").call("pid", {}))).toBe(first);
    expect(upstreams.state("tested")).toMatchObject({ state: "ready", pid: Number(first) });
  });

  test("calls that come together share one start", async () => {
    const upstreams = open(faulty("slow=100"));
    const results = await Promise.all(Array.from({ length: 5 }, () => upstreams.to("tested").call("pid", {})));
    expect(new Set(results.map(textOf)).size).toBe(1);
  });

  test("arguments and results pass untouched, however odd", async () => {
    const args = { text: "ä€😀\n", deep: { list: [1, null, { "": true }] } };
    expect(await open(faulty("odd")).to("tested").call("echo", args)).toEqual({
      content: [{ type: "hologram" }],
      extra: args,
    });
  });

  test("a result that says it is an error is a result", async () => {
    expect(await open(faulty()).to("tested").call("fail", {})).toEqual({
      content: [{ type: "text", text: "it did not work" }],
      isError: true,
    });
  });

  test("an error that the server answers with is thrown as failed, readable and without control characters", async () => {
    expect(await failureOf(open(faulty()).to("tested").call("refuse", {}))).toMatchObject({
      code: "call_failed",
      server: "tested",
      tool: "refuse",
      delivery: "failed",
      rpcCode: -32602,
      message:
        'Cannot call "refuse" of upstream "tested": the server answered with error -32602: bad arguments ({"field":"x"})',
    });
  });

  test.each([
    ["an error that is a text", { error: "oops" }, "error -32603: oops"],
    ["an error with a null beside it", { error: { message: "no code" }, result: null }, "error -32603: no code"],
    ["a result that is null", { result: null }, "neither a result nor an error"],
  ])("a malformed answer fails its call at once: %s", async (_, answer, words) => {
    const error = await failureOf(open(faulty()).to("tested").call("malformed", answer));
    expect(error).toMatchObject({ code: "call_failed", delivery: "failed" });
    expect(error.message).toContain(words);
  });

  test.each([
    ["a null beside the result", { result: { content: [] }, error: null }],
    ["a field beside the result", { result: { content: [] }, took: 3 }],
    ["metadata that is null", { result: { content: [], _meta: null } }],
  ])("an answer that is only slightly off is taken: %s", async (_, answer) => {
    expect(await open(faulty()).to("tested").call("malformed", answer)).toEqual({ content: [] });
  });

  test("progress is handed on", async () => {
    const seen: unknown[] = [];
    await open(faulty())
      .to("tested")
      .call("progress", {}, { onProgress: (progress) => seen.push(progress) });
    expect(seen).toEqual([
      { progress: 1, total: 2 },
      { progress: 2, total: 2 },
    ]);
  });

  test.each([["junk"], ["split"], ["crlf"]])("a server's stdout may be untidy: %s", async (fault) => {
    const upstreams = open(faulty(fault));
    expect(textOf(await upstreams.to("tested").call("echo", { word: "größer" }))).toBe('{"word":"größer"}');
    expect(upstreams.state("tested").skippedLines).toBe(fault === "junk" ? 10 : 0);
  });

  test("a result of 60 MB comes whole", async () => {
    const result = await open(faulty()).to("tested").call("big", { megabytes: 60 });
    expect(textOf(result).length).toBe(60 * 1024 * 1024);
  });

  test("of an error that carries very much, the beginning is kept and a note", async () => {
    const error = {
      code: -32000,
      message: "m".repeat(200_000),
      data: { rows: Array.from({ length: 50_000 }, () => "row") },
    };
    expect(await failureOf(open(faulty()).to("tested").call("malformed", { error }))).toMatchObject({
      code: "call_failed",
      delivery: "failed",
      rpcCode: -32000,
      rpcMessage: `${"m".repeat(100_000)}…`,
      rpcData: "left out: more than 100000 characters of data",
    });
    const data = { rows: ["row"] };
    const small = await failureOf(
      open(faulty())
        .to("tested")
        .call("malformed", { error: { ...error, data } }),
    );
    expect(small.rpcData).toEqual(data);
  });

  test("of very long instructions the beginning is kept", async () => {
    const server = faulty(`instructions=${"i".repeat(30_000)}`);
    expect((await open(server).to("tested").list()).info).toMatchObject({ instructions: `${"i".repeat(20_000)}…` });
  });

  test("a result of very many values fails its call, says why and what to do, and the server is used on", async () => {
    const upstreams = open(faulty());
    const pid = textOf(await upstreams.to("tested").call("pid", {}));
    const result = { content: [], structuredContent: { a: Array.from({ length: 900_000 }, () => []) } };
    expect(await failureOf(upstreams.to("tested").call("malformed", { result }))).toMatchObject({
      code: "call_failed",
      delivery: "unknown",
      message:
        'Cannot call "malformed" of upstream "tested": its answer has more than 1600000 values (each new name counts as 4)',
      hint: "Ask for less at a time: fewer rows or columns, a filter, or page by page.",
    });
    expect(textOf(await upstreams.to("tested").call("pid", {}))).toBe(pid);
    expect(upstreams.state("tested").skippedLines).toBe(0);
  });

  test("a result of 100,000 rows comes whole", async () => {
    const row = { id: 1, name: "a", b: 1.5, c: null, d: true, e: "x", f: "y", g: 0, h: "z", i: "" };
    const result = { content: [], structuredContent: { rows: Array.from({ length: 100_000 }, () => row) } };
    expect(await open(faulty()).to("tested").call("malformed", { result })).toEqual(result);
  });

  test("a line without an end closes the connection and nothing else", async () => {
    const upstreams = open(faulty());
    const error = await failureOf(upstreams.to("tested").call("flood", {}));
    expect(error).toMatchObject({ code: "server_closed", delivery: "unknown" });
    expect(error.message).toContain("the server sent a line of more than 64 MB");
    expect(textOf(await upstreams.to("tested").call("echo", {}))).toBe("{}");
  });

  test("an unknown server is answered with the nearest name", async () => {
    expect(() => open(faulty()).to("testd")).toThrow(
      expect.objectContaining({ code: "server_unknown", hint: "Did you mean tested?" }),
    );
  });

  test("the child gets its own settings and none of ours", async () => {
    vi.stubEnv("OUR_SECRET", "hidden");
    const upstreams = open({ ...faulty(), env: { TOKEN: "visible" } });
    const environment = JSON.parse(textOf(await upstreams.to("tested").call("environment", {})));
    vi.unstubAllEnvs();
    expect(environment).toMatchObject({ TOKEN: "visible" });
    expect(environment).not.toHaveProperty("OUR_SECRET");
  });
});

describe("listing", () => {
  const names = (list: { tools: unknown[] }) => list.tools.map((tool) => (tool as { name: string }).name);

  test("all pages are read, with what the server says of itself", async () => {
    const list = await open(faulty("pages=3")).to("tested").list();
    expect(names(list)).toEqual(["tool_0", "tool_1", "tool_2"]);
    expect(list.info).toEqual({ name: "faulty", version: "1.2.3", title: "Faulty", instructions: "Handle with care." });
    expect(list).not.toHaveProperty("truncated");
  });

  test("pages that repeat end where they do", async () => {
    const list = await open(faulty("loop")).to("tested").list();
    expect(names(list)).toEqual(["tool_first", "tool_again"]);
    expect(list.truncated).toBe(true);
  });

  test.each([
    ["endless", 1000, true],
    ["tools=5000", 5000, undefined],
    ["tools=10000", 10_000, undefined],
    ["tools=10001", 10_000, true],
  ])("there are limits: %s gives %i tools", async (fault, count, truncated) => {
    const list = await open(faulty(fault)).to("tested").list();
    expect([list.tools.length, list.truncated]).toEqual([count, truncated]);
  });

  test("tools without a schema, with vendor fields, or that are not objects are handed on as they are", async () => {
    const { tools } = await open(faulty("odd")).to("tested").list();
    expect(tools).toEqual([{ name: "bare", "x-vendor": { kept: true } }, "not a tool"]);
  });

  test("a server that has no tools has an empty list", async () => {
    expect((await open(faulty("no-tools")).to("tested").list()).tools).toEqual([]);
  });

  test("a server that changes its tools says so", async () => {
    const changed = await new Promise<string>((resolve) => {
      void open(faulty("changes"), { onToolsChanged: resolve }).to("tested").list();
    });
    expect(changed).toBe("tested");
  });

  test("a server that has no handshake is spoken to in its own way", async () => {
    const upstreams = open(faulty("modern-only"));
    const { tools, info } = await upstreams.to("tested").list();
    expect(tools).toMatchObject([{ name: "hello" }]);
    expect(info).toMatchObject({ name: "modern-fixture" });
    expect(textOf(await upstreams.to("tested").call("hello", {}))).toBe("hello from 2026");
  });

  test("real servers are listed and called", async () => {
    await writeFile(join(folder, "note.txt"), "remember the milk");
    const files = open(official("filesystem", folder));
    expect(names(await files.to("tested").list())).toContain("read_text_file");
    const note = await files.to("tested").call("read_text_file", { path: join(folder, "note.txt") });
    expect(textOf(note)).toBe("remember the milk");
    const memory = open({ ...official("memory"), env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } });
    expect(await memory.to("tested").call("read_graph", {})).toMatchObject({ structuredContent: { entities: [] } });
    const everything = open(official("everything"));
    expect(textOf(await everything.to("tested").call("echo", { message: "hi" }))).toBe("Echo: hi");
  });
});

describe("a call that gets no answer", () => {
  test("of a server that dies is unknown, with the exit code and the last words, and is not sent again", async () => {
    const log = join(folder, "log");
    const upstreams = open({ ...faulty(`log=${log}`), env: { TOKEN: "sk-123456" } });
    const error = await failureOf(upstreams.to("tested").call("crash", {}));
    expect(error).toMatchObject({
      code: "server_closed",
      delivery: "unknown",
      tool: "crash",
      message:
        'Cannot call "crash" of upstream "tested": the server ended with exit code 3. The last it wrote to stderr:\nout of luck [redacted]',
    });
    expect(upstreams.state("tested")).toMatchObject({ state: "failed", stderrTail: "out of luck [redacted]\n" });
    expect(textOf(await upstreams.to("tested").call("echo", {}))).toBe("{}");
    expect(calls(log)).toEqual(["crash", "echo"]);
  });

  test("of a server that is killed says so, for every call in flight", async () => {
    const upstreams = open(faulty());
    const failures = await Promise.all([
      failureOf(upstreams.to("tested").call("hang", {})),
      failureOf(upstreams.to("tested").call("kill", {})),
    ]);
    expect(failures.map(({ code, delivery }) => [code, delivery])).toEqual([
      ["server_closed", "unknown"],
      ["server_closed", "unknown"],
    ]);
    expect(failures[0]?.message).toContain("was ended by SIGKILL");
  });

  test("of a server that closes its stdout fails without waiting for the process", async () => {
    const error = await failureOf(open(faulty("stubborn")).to("tested").call("close-stdout", {}));
    expect(error).toMatchObject({ code: "server_closed", delivery: "unknown" });
    expect(error.message).toContain("the server closed its stdout");
  });

  test("in time is unknown, cancelled at the server, and the connection stays", async () => {
    const log = join(folder, "log");
    const upstreams = open(faulty(`log=${log}`));
    const before = textOf(await upstreams.to("tested").call("pid", {}));
    expect(await failureOf(upstreams.to("tested").call("hang", {}, { timeoutMs: 50 }))).toMatchObject({
      code: "call_timeout",
      delivery: "unknown",
      message: 'Cannot call "hang" of upstream "tested": no answer within 0.05 s',
    });
    expect(textOf(await upstreams.to("tested").call("pid", {}))).toBe(before);
    expect(calls(log)).toEqual(["pid", "hang", "cancelled", "pid"]);
  });

  test("because it was cancelled is unknown, and a late answer reaches nobody", async () => {
    const upstreams = open(faulty());
    await upstreams.to("tested").call("pid", {});
    const controller = new AbortController();
    const call = failureOf(upstreams.to("tested").call("late", { ms: 30 }, { signal: controller.signal }));
    controller.abort();
    expect(await call).toMatchObject({ code: "call_cancelled", delivery: "unknown" });
    expect(textOf(await upstreams.to("tested").call("late", { ms: 60 }))).toBe("too late");
    expect(textOf(await upstreams.to("tested").call("echo", { still: "right" }))).toBe('{"still":"right"}');
  });

  test("because it was cancelled before or while the server started was not sent", async () => {
    const log = join(folder, "log");
    const upstreams = open(faulty(`log=${log}`, "slow=100"));
    const notSent = { code: "call_cancelled", delivery: "not_sent", tool: "echo" };
    expect(await failureOf(upstreams.to("tested").call("echo", {}, { signal: AbortSignal.abort() }))).toMatchObject(
      notSent,
    );
    const controller = new AbortController();
    const call = failureOf(upstreams.to("tested").call("echo", {}, { signal: controller.signal }));
    controller.abort();
    expect(await call).toMatchObject(notSent);
    await upstreams.to("tested").call("pid", {});
    expect(await failureOf(upstreams.to("tested").call("echo", {}, { signal: AbortSignal.abort() }))).toMatchObject(
      notSent,
    );
    expect(calls(log)).toEqual(["pid"]);
  });

  test("because the server took too long to start was not sent, and the start goes on for others", async () => {
    const upstreams = open(faulty("slow=300"));
    const late = failureOf(upstreams.to("tested").call("echo", {}, { timeoutMs: 20 }));
    const patient = upstreams.to("tested").call("echo", {});
    expect(await late).toMatchObject({ code: "call_timeout", delivery: "not_sent" });
    expect(textOf(await patient)).toBe("{}");
  });
});

describe("a server that does not start", () => {
  test("is reported with its exit code and last words", async () => {
    const error = await failureOf(open(faulty("exit=7")).to("tested").call("echo", {}));
    expect(error).toMatchObject({
      code: "server_start_failed",
      delivery: "not_sent",
      tool: "echo",
      message:
        'Cannot start upstream "tested": the server ended with exit code 7. The last it wrote to stderr:\nthe database is missing',
    });
  });

  test("in time is reported with what it wrote, and ended", async () => {
    const upstreams = open(faulty("hang-initialize", "stubborn"), { connectTimeoutMs: 3000 });
    const call = failureOf(upstreams.to("tested").call("echo", {}));
    await vi.waitFor(() => expect(upstreams.state("tested").pid).toBeDefined(), 10_000);
    const { pid = 0 } = upstreams.state("tested");
    expect(await call).toMatchObject({
      code: "server_start_failed",
      delivery: "not_sent",
      message:
        'Cannot start upstream "tested": no answer within 3 s. The last it wrote to stderr:\nwaiting for a license',
    });
    expect(await survivors([pid], 4000)).toEqual([]);
  });

  test("may be tried again at once after the first failure, then is left alone for a while", async () => {
    const upstreams = open(faulty("exit=1"));
    const first = await failureOf(upstreams.to("tested").call("echo", {}));
    expect(upstreams.state("tested")).toMatchObject({ state: "failed", lastError: first.message });
    expect(upstreams.state("tested")).not.toHaveProperty("retryAt");
    expect((await failureOf(upstreams.to("tested").list())).message).toBe(first.message);
    expect(upstreams.state("tested").retryAt).toBeGreaterThan(Date.now());
    const resting = await failureOf(upstreams.to("tested").call("echo", {}));
    expect(resting).toMatchObject({ code: "server_resting", delivery: "not_sent" });
    expect(resting.retryAfterMs).toBeLessThan(500);
    expect(resting.message).toMatch(
      /it failed 2 times in a row and is tried again in 0\.\d s\. The last .*exit code 1/,
    );
  });

  test("after it was ready counts as failed too, when it never answered", async () => {
    const upstreams = open(faulty("exit-after-initialize=0"));
    for (const _ of [1, 2]) await failureOf(upstreams.to("tested").call("echo", {}));
    expect(upstreams.state("tested").retryAt).toBeGreaterThan(Date.now());
  });

  test.each([
    [{ command: "no-such-program" }, "command not found: no-such-program"],
    [{ cwd: "/no/such/folder" }, "its working folder does not exist: /no/such/folder"],
    [{ args: ["a\0b"] }, "an argument or a value of its environment holds a null character"],
  ])("for a reason we can see is reported: %o", async (change, why) => {
    expect(
      await failureOf(
        open({ ...faulty(), ...change })
          .to("tested")
          .call("echo", {}),
      ),
    ).toMatchObject({
      code: "server_start_failed",
      delivery: "not_sent",
      message: `Cannot start upstream "tested": ${why}`,
    });
  });
});

test("a server that loses call after call rests, and the one call that tries it again may start it", async () => {
  const upstreams = open(faulty());
  for (let lost = 0; lost < 5; lost++) {
    await upstreams.to("tested").list(); // it starts and answers, so that its starts are not what fails
    await failureOf(upstreams.to("tested").call("crash", {}));
  }
  const resting = await failureOf(upstreams.to("tested").call("pid", {}));
  expect(resting).toMatchObject({ code: "server_resting", delivery: "not_sent" });
  expect(upstreams.state("tested").state).toBe("resting");
  await delay((resting.retryAfterMs ?? 0) + 50);
  const answers = await Promise.allSettled([1, 2, 3].map(() => upstreams.to("tested").call("pid", {})));
  expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
  expect(Number(textOf(await upstreams.to("tested").call("pid", {})))).toBeGreaterThan(0);
});

describe("a call that waits for its turn", () => {
  const narrow = (log: string) => ({ ...faulty(`log=${log}`), limits: { maxParallelCalls: 1 } });

  test("was not sent when it is cancelled, or its time is up, or too many wait already", async () => {
    const log = join(folder, "log");
    const upstreams = open(narrow(log));
    await upstreams.to("tested").list();
    const enough = new AbortController();
    const hanging = failureOf(upstreams.to("tested").call("hang", {}, { turn: "a", signal: enough.signal }));
    const controller = new AbortController();
    const cancelled = failureOf(upstreams.to("tested").call("echo", {}, { turn: "a", signal: controller.signal }));
    const late = failureOf(upstreams.to("tested").call("echo", {}, { turn: "a", timeoutMs: 50 }));
    controller.abort();
    expect(await cancelled).toMatchObject({ code: "call_cancelled", delivery: "not_sent", tool: "echo" });
    expect(await late).toMatchObject({ code: "call_timeout", delivery: "not_sent" });
    const crowd = Array.from({ length: 256 }, () =>
      failureOf(upstreams.to("tested").call("echo", {}, { turn: "a", timeoutMs: 500 })),
    );
    const refused = await failureOf(upstreams.to("tested").call("echo", {}, { turn: "a" }));
    expect(refused).toMatchObject({ code: "server_busy", delivery: "not_sent" });
    expect(upstreams.state("tested").waiting).toBe(256);
    await Promise.all(crowd);
    enough.abort();
    await hanging;
    expect(textOf(await upstreams.to("tested").call("echo", {}))).toBe("{}");
    expect(calls(log).filter((name) => name !== "cancelled")).toEqual(["hang", "echo"]);
  });

  test("comes before the second call of another caller", async () => {
    const log = join(folder, "log");
    const upstreams = open(narrow(log));
    const turns = ["greedy", "greedy", "greedy", "modest"];
    const tools = ["pid", "pid", "pid", "echo"];
    await Promise.all(tools.map((tool, index) => upstreams.to("tested").call(tool, {}, { turn: turns[index] })));
    expect(calls(log)).toEqual(["pid", "pid", "echo", "pid"]);
  });
});

describe("ending", () => {
  test("line separators in arguments reach a server that reads line by line", async () => {
    const upstreams = open(faulty());
    const args = { text: "a\u2028b\u2029c\u0085d\ne" };
    expect(JSON.parse(textOf(await upstreams.to("tested").call("echo", args)))).toEqual(args);
  });

  test("an idle server is closed, and started again by the next call", async () => {
    const upstreams = open(faulty(), { idleMs: 100 });
    const first = Number(textOf(await upstreams.to("tested").call("pid", {})));
    await vi.waitFor(() => expect(upstreams.state("tested").state).toBe("idle"), 10_000);
    expect(await survivors([first], 4000)).toEqual([]);
    expect(Number(textOf(await upstreams.to("tested").call("pid", {})))).not.toBe(first);
  });

  test("a server that was only asked for its tools is closed sooner than one that was called", async () => {
    const upstreams = open(faulty(), { listedOnlyMs: 100 });
    await upstreams.to("tested").list();
    await vi.waitFor(() => expect(upstreams.state("tested").state).toBe("idle"), 10_000);
    await upstreams.to("tested").call("echo", {});
    await delay(300);
    expect(upstreams.state("tested").state).toBe("ready");
  });

  test("of many that were only asked for their tools the last ones run, and those that were called", async () => {
    const names = Array.from({ length: 20 }, (_, number) => `server-${number}`);
    await using upstreams = createUpstreams(names.map((name) => ({ ...faulty(), name })));
    await upstreams.to("server-0").call("echo", {});
    for (const name of names) await upstreams.to(name).list();
    const running = names.filter((name) => upstreams.state(name).state === "ready");
    expect(running).toEqual(["server-0", ...names.slice(4)]);
    expect((await upstreams.to("server-1").list()).tools).not.toEqual([]);
  });

  test("a server is not idle while a call is in flight", async () => {
    const upstreams = open(faulty(), { idleMs: 20 });
    expect(textOf(await upstreams.to("tested").call("late", { ms: 300 }))).toBe("too late");
  });

  test("close() ends stubborn servers, their children and servers that are still starting", async () => {
    const upstreams = createUpstreams([
      { ...faulty("stubborn", "fork"), name: "stubborn" },
      { ...faulty("hang-initialize", "stubborn"), name: "starting" },
      { ...faulty(), name: "polite" },
    ]);
    const pids = await Promise.all([
      upstreams.to("stubborn").call("pid", {}),
      upstreams.to("stubborn").call("child", {}),
      upstreams.to("polite").call("pid", {}),
    ]).then((results) => results.map((result) => Number(textOf(result))));
    const starting = failureOf(upstreams.to("starting").call("echo", {}));
    await vi.waitFor(() => expect(upstreams.state("starting").pid).toBeDefined(), 10_000);
    const hanging = failureOf(upstreams.to("stubborn").call("hang", {}));
    pids.push(upstreams.state("starting").pid ?? 0);
    expect(pids.every(isAlive)).toBe(true);
    await upstreams.close();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await starting).toMatchObject({ code: "call_cancelled", delivery: "not_sent" });
    expect(await hanging).toMatchObject({ code: "server_closed", delivery: "unknown" });
    expect(await failureOf(upstreams.to("polite").call("echo", {}))).toMatchObject({
      code: "server_closed",
      delivery: "not_sent",
    });
  });

  test("a child that holds the pipes of a dead server neither delays the error nor stays", async () => {
    const upstreams = open(faulty("fork"));
    const child = Number(textOf(await upstreams.to("tested").call("child", {})));
    expect(await failureOf(upstreams.to("tested").call("kill", {}))).toMatchObject({ delivery: "unknown" });
    expect(await survivors([child], 3000)).toEqual([]);
  });
});

describe("a configuration that changes", () => {
  const slow = (upstreams: Upstreams) =>
    upstreams.to("tested").call("trigger-long-running-operation", { duration: 2, steps: 2 });

  test("a server that is taken out finishes its calls, ends, and is unknown from then on", async () => {
    const upstreams = open(official("everything"));
    await upstreams.to("tested").list();
    const { pid = 0 } = upstreams.state("tested");
    const call = slow(upstreams);
    upstreams.update([]);
    expect(() => upstreams.state("tested")).toThrow(/No upstream is called "tested"/);
    expect(isAlive(pid)).toBe(true);
    expect(textOf(await call)).toContain("completed");
    expect(await survivors([pid], 5000)).toEqual([]);
  });

  test("one that is changed starts again beside the calls of the old one; another description is not a change", async () => {
    const upstreams = open(faulty());
    const pid = async () => textOf(await upstreams.to("tested").call("pid", {}));
    const before = await pid();
    upstreams.update([{ ...faulty(), description: "other", tools: { allow: ["pid"], deny: [] } }]);
    expect(await pid()).toBe(before);
    upstreams.update([
      { ...faulty(), env: { CHANGED: "1" } },
      { ...faulty(), name: "second" },
    ]);
    expect(await pid()).not.toBe(before);
    expect(await survivors([Number(before)], 5000)).toEqual([]);
    expect(textOf(await upstreams.to("second").call("pid", {}))).toMatch(/^\d+$/);
  });
});
