import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type {
  CallAnswer,
  CallRequest,
  Engine,
  GuestPorts,
  Outcome,
  Program,
  Sandbox,
  Skipped,
} from "../../src/sandbox/engine.ts";
import { testLimits } from "../../src/sandbox/limits.fixture.ts";
import { pythonTexts } from "../../src/sandbox/python-literal.fixture.ts";
import { type EngineCase, engineCases } from "./engines.ts";
import { type Pair, type ProgramName, programs } from "./programs.ts";

// One suite for every engine: what a guest may expect of a sandbox, and what the host may.

const limits = testLimits;

class Recorder implements GuestPorts {
  readonly calls: CallRequest[] = [];
  stdout = "";
  stderr = "";
  skipped = 0;
  result = "";
  running = 0;
  mostRunning = 0;

  async call(request: CallRequest): Promise<string | CallAnswer> {
    this.calls.push(request);
    this.mostRunning = Math.max(this.mostRunning, ++this.running);
    // As long as a quick tool takes: calls that a guest makes at once overlap.
    await new Promise((resolve) => setTimeout(resolve, 5));
    this.running--;
    if (request.tool === "fail") {
      throw Object.assign(new Error("no luck"), { server: "echo server", tool: "fail", delivery: "failed" });
    }
    if (request.tool === "rows") {
      return JSON.stringify(Array.from({ length: 10_000 }, (_, id) => ({ id, text: "x".repeat(500) })));
    }
    if (request.tool === "rich") {
      if (request.raw) return '{"content":[{"type":"hologram"}],"structuredContent":[1]}';
      return { value: "[1]", rest: '{"content":[{"type":"hologram"}],"_meta":{"cost":3}}' };
    }
    if (request.tool === "text")
      return { text: String(request.args["text"]), rest: '{"content":[],"_meta":{"cost":3}}' };
    return JSON.stringify(request.args);
  }

  operation(): Promise<string> {
    throw new Error("no operation here");
  }

  print(stream: "stdout" | "stderr", text: string, skipped?: Skipped): undefined {
    this[stream] += text;
    this.skipped += skipped?.characters ?? 0;
  }

  addResult(text: string): undefined {
    this.result += text;
  }
}

describe.each(engineCases)("$name for $language", (engineCase: EngineCase) => {
  const { language } = engineCase;
  let engine: Engine;

  const programOf = (name: ProgramName): Program => ({
    code: (programs[name] as Pair)[language] as string,
    libraries: [
      {
        server: "echo server",
        module: "echo",
        tools: [
          ["say", "say"],
          ["odd", "odd", { from_: "from", max_results: "max-results" }],
        ],
      },
    ],
    modules: [],
    operations: [],
    imports: { allow: ["*"], deny: [] },
  });
  const within = async <T>(work: (sandbox: Sandbox) => Promise<T>, on: Engine = engine): Promise<T> => {
    const sandbox = await on.start();
    try {
      return await work(sandbox);
    } finally {
      sandbox.kill();
    }
  };
  const run = (name: ProgramName, options: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
    within(async (sandbox) => {
      const ports = new Recorder();
      const outcome: Outcome = await sandbox.run(programOf(name), ports, { timeoutMs: 15_000, ...options });
      return { outcome, ports, ended: sandbox.ended };
    });
  const outcomeOf = async (name: ProgramName, timeoutMs?: number) =>
    (await run(name, timeoutMs === undefined ? {} : { timeoutMs })).outcome;
  const only = (wanted: "typescript" | "python") => test.runIf(language === wanted);

  const { absence } = engineCase;
  beforeEach(({ skip }) => skip(absence !== undefined, absence));
  beforeAll(async () => {
    if (absence !== undefined) return;
    await engineCase.prepare?.();
    engine = engineCase.create(limits);
    expect(await engine.isolation()).toMatchObject({ layer: "os" });
  }, 180_000);

  test("returns the last value as plain data", async () => {
    const when = language === "typescript" ? "1970-01-01T00:00:00.000Z" : "1970-01-01T00:00:00";
    expect(await outcomeOf("value")).toEqual({ end: "ok", value: { a: [1, "x", null], when } });
    expect(await outcomeOf("nothing")).toEqual({ end: "ok" });
    expect(await outcomeOf("none")).toEqual({ end: "ok" });
    expect(await outcomeOf("cyclic")).toEqual({ end: "ok", value: { b: 1, a: "[Circular]" } });
  });

  test("runs the modules that come with a program, each once, and names them where they fail", async () => {
    const typescript = {
      code: "async (load) => { const { next } = await load('skills/a', ['next']); return [next(), (await load('./b')).seen] }",
      a: "async (load, define) => { let n = 1; define({ next: () => () => ++n, fail: () => () => { throw new Error('in a') } }); }",
      b: "async (load, define) => { const { next } = await load('skills/a'); define({ seen: () => next() }); }",
    };
    const python = {
      code: "from skills.a import next\nimport b\n[next(), b.seen()]",
      a: "n = 1\ndef next():\n    global n\n    n += 1\n    return n\ndef fail():\n    raise ValueError('in a')\n",
      b: "from skills.a import next as seen\n",
    };
    const { code, a, b } = language === "python" ? python : typescript;
    const name = language === "python" ? "skills.a" : "skills/a";
    const modules = [
      { id: "skills/a@1", code: a, links: [] },
      { id: "./b", code: b, links: [[name, "skills/a@1"]] as const },
    ];
    const links = [[name, "skills/a@1"] as const, [language === "python" ? "b" : "./b", "./b"] as const];
    const failing =
      language === "python"
        ? "from skills.a import fail\nfail()"
        : "async (load) => { const { fail } = await load('skills/a'); fail() }";
    const outcomes = await Promise.all(
      [code, failing].map((text) =>
        within((sandbox) =>
          sandbox.run({ ...programOf("value"), code: text, modules, links }, new Recorder(), { timeoutMs: 15_000 }),
        ),
      ),
    );
    const stack = expect.stringContaining(language === "python" ? "skills/a@1:7 in fail" : "module-0.ts");
    expect(outcomes).toMatchObject([
      { end: "ok", value: [2, 3] },
      { end: "error", error: { message: "in a", stack } },
    ]);
  });

  test("keeps stdout and stderr apart and in order; neither makes a failure", async () => {
    const { outcome, ports } = await run("prints");
    expect(outcome).toEqual({ end: "ok" });
    expect([ports.stdout, ports.stderr]).toEqual(['out {"a":1}\nraw\n', "err\n"]);
  });

  test("reports what the guest throws, with its class", async () => {
    expect(await outcomeOf("throws")).toMatchObject({ end: "error", error: { name: "TypeError", message: "broken" } });
    expect(await outcomeOf("throwsOddly")).toMatchObject({ end: "error" });
    expect(await outcomeOf("missing")).toMatchObject({
      end: "error",
      error: { message: expect.stringContaining("other") },
    });
  });

  only("typescript")("reports a rejection that nobody handles", async () => {
    expect(await outcomeOf("unhandled")).toMatchObject({ end: "error", error: { message: "nobody looked" } });
  });

  only("python")("knows the guest's own lines", async () => {
    expect(await outcomeOf("throws")).toMatchObject({
      end: "error",
      error: { line: 2, stack: expect.stringMatching(/^line 2 in f\nline 3/) },
    });
  });

  test("calls a tool by its identifier and by its exact name", async () => {
    expect(await outcomeOf("call")).toEqual({ end: "ok", value: { text: "hi" } });
    const { ports } = await run("exact");
    expect(ports.calls).toEqual([
      expect.objectContaining({ server: "echo server", tool: "say-it", args: { text: "hi" } }),
    ]);
  });

  test("finds what else came with a value, and gets a whole result when it asks for one", async () => {
    const hologram = { type: "hologram" };
    expect(await outcomeOf("rest")).toEqual({
      end: "ok",
      value: [[1], { content: [hologram], _meta: { cost: 3 } }, { content: [hologram], structuredContent: [1] }],
    });
  });

  test("takes a text for data if it is JSON, and else as it is", async () => {
    const rest = { content: [], _meta: { cost: 3 } };
    expect(await outcomeOf("texts")).toEqual({
      end: "ok",
      value: [{ a: ["é\u2028漢"] }, rest, [1], '[NaN, "é"]', "{not json", "\ufeff[1]", "[1]\u0000", '[1],"id":2'],
    });
  });

  test("takes a text for data if it is wholly a list or dict of Python", async () => {
    const values = pythonTexts.map(([text, value]) => value ?? text);
    const rest = { content: [], _meta: { cost: 3 } };
    expect(await outcomeOf("literals")).toEqual({ end: "ok", value: [values, rest] });
  });

  only("python")("gives parameters their exact names", async () => {
    expect(await outcomeOf("renamed")).toEqual({ end: "ok", value: { from: "a", "max-results": 2 } });
  });

  test("raises a failed call as ToolError that says where it failed and whether it was delivered", async () => {
    expect(await outcomeOf("fails")).toEqual({ end: "ok", value: [true, "echo server", "fail", "failed", "no luck"] });
    expect(await outcomeOf("failsUncaught")).toMatchObject({
      end: "error",
      error: { name: "ToolError", message: "no luck", server: "echo server", tool: "fail", delivery: "failed" },
    });
  });

  test("runs calls in parallel up to the limit and queues the rest", async () => {
    const { outcome, ports } = await run("parallel");
    expect(outcome).toEqual({ end: "ok", value: 20 });
    expect(ports.mostRunning).toBe(limits.parallelToolCalls);
  });

  test.runIf(language === "python" && engineCase.hasThreads)("runs the calls of threads in parallel", async () => {
    const { outcome, ports } = await run("parallelThreads");
    expect(outcome).toEqual({ end: "ok", value: true });
    expect(ports.mostRunning).toBe(limits.parallelToolCalls);
  });

  only("python")("has an event loop of its own, with timers beside calls", async () => {
    expect(await outcomeOf("asyncRun")).toEqual({ end: "ok", value: { i: 1 } });
    expect(await outcomeOf("timeoutBesideCall")).toEqual({ end: "ok", value: [{ i: 1 }, "ticked"] });
  });

  test("waits for a call that the guest did not await", async () => {
    const { outcome, ports } = await run("forgotten");
    expect([outcome, ports.calls.length, ports.running]).toEqual([{ end: "ok" }, 1, 0]);
  });

  test("takes a tool result of 5 MB", async () => {
    expect(await outcomeOf("big")).toEqual({ end: "ok", value: [10_000, { id: 9999, text: "x".repeat(500) }] });
  });

  test("gives the guest the standard library", async () => {
    const { outcome } = await run("standard");
    if (language === "typescript") {
      expect(outcome).toEqual({ end: "ok", value: ["1,234.5", "1", "é", 36, "timer"] });
      expect(await outcomeOf("node")).toEqual({ end: "ok", value: ["2d7116", "hi", "ab"] });
    } else {
      expect(outcome).toEqual({
        end: "ok",
        value: [
          ...["1,234.5", ["1"], ["a", 7, null], [0, 1, 2], "X", 832040, 2, "0.3", ["1"], [["a", 2]], [1, 3, 6]],
          ...[{ id: 1, tags: ["t"] }, "RED", "<me>@x", "2d7116", "kept\n", 36],
        ],
      });
    }
  });

  test("gives the guest nothing of the host", async () => {
    expect(await outcomeOf("environment")).toEqual({ end: "ok", value: [] });
    expect(await outcomeOf("network")).toEqual({ end: "ok", value: "refused" });
    expect(await outcomeOf("files")).toEqual({ end: "ok", value: "refused" });
    expect(await outcomeOf("spawns")).toEqual({ end: "ok", value: engineCase.spawns ?? "refused" });
  });

  test("tells a guest that there is no network, and what there is instead, however it tries", async () => {
    const none = "Guests have no network (coordinator.sandbox.network.allow): call a tool of an MCP server instead";
    const ways = language === "typescript" ? 2 : 5;
    const { outcome } = await run("unreachable");
    expect(outcome).toMatchObject({ end: "ok", value: Array(ways).fill(expect.stringContaining(none)) });
    if (language === "typescript") return;
    const open = { ...programOf("unreachable"), hosts: ["api.example.org", "*.example.net"] };
    const told = await within((sandbox) => sandbox.run(open, new Recorder(), { timeoutMs: 15_000 }));
    const instead = "Guests have no sockets: use urllib.request, which reaches api.example.org, *.example.net";
    expect(told).toMatchObject({ end: "ok", value: Array(ways).fill(expect.stringContaining(instead)) });
  });

  test("ends a guest at its time, whether it spins or waits", async () => {
    expect(await run("spins", { timeoutMs: 300 })).toMatchObject({ outcome: { end: "timeout" }, ended: true });
    expect(await outcomeOf("never", 300)).toEqual({ end: "timeout" });
    if (language === "python") expect(await outcomeOf("swallows", 300)).toEqual({ end: "timeout" });
  });

  test("ends a guest at its memory, its calls and its depth", async () => {
    expect(await run("allocates")).toMatchObject({ outcome: { end: "limit", limit: "memory" }, ended: true });
    expect(await outcomeOf("allocatesBuffers")).toEqual({ end: "limit", limit: "memory" });
    if (language === "python") expect(await outcomeOf("allocatesAtOnce")).toEqual({ end: "limit", limit: "memory" });
    expect(await outcomeOf("tooManyCalls")).toEqual({ end: "limit", limit: "tool_calls" });
    expect(await outcomeOf("deepResult")).toEqual({ end: "limit", limit: "frame" });
  });

  test("reads on while a guest prints without end, which ends at its time", async () => {
    const { outcome, ports } = await run("floods", { timeoutMs: 1000 });
    expect([outcome.end, ports.stdout.length + ports.skipped > 1_000_000]).toEqual(["timeout", true]);
    expect(await outcomeOf("floodsEmpty", 1000)).toEqual({ end: "timeout" });
  });

  test("takes a print that is longer than a frame; of what may not be kept it is told the length and the end", async () => {
    const { outcome, ports } = await run("printsMuch");
    const { length } = ports.stdout;
    expect([outcome, length + ports.skipped, ports.stdout.slice(-4)]).toEqual([{ end: "ok" }, 20_000_004, "end\n"]);
    expect(length).toBeGreaterThan(limits.outputBytes);
    expect(length).toBeLessThan(limits.outputBytes + 2_000_000);
  });

  test.each([
    ["hugeResult", "characters", 20_000_000],
    ["longList", "items", 200_000],
    ["longListInside", "keys", 2],
  ] as const)(
    "sends as much of the result %s as may be kept, in parts that are JSON, and its start",
    async (name, unit, total) => {
      const { outcome, ports } = await run(name);
      const { value, parts } = outcome as Extract<Outcome, { end: "ok" }>;
      expect(parts).toMatchObject({ unit, total });
      const kept: unknown = JSON.parse(ports.result);
      expect(Buffer.byteLength(ports.result)).toBeLessThanOrEqual(limits.outputBytes);
      expect(ports.result.length).toBeGreaterThan(limits.outputBytes * 0.8);
      expect(value).toEqual(kept);
      expect(typeof kept === "string" ? kept.length : Object.keys(kept as object).length).toBe(parts?.kept);
    },
  );

  test("shows every one of many lines, in their order, up to the last before an exit", async () => {
    const roomy = engineCase.create({ ...limits, outputBytes: 50_000_000 });
    await within(async (sandbox) => {
      const ports = new Recorder();
      await sandbox.run(programOf("printsManyLines"), ports, { timeoutMs: 60_000 });
      expect(ports.stdout).toBe(Array.from({ length: 20_000 }, (_, n) => `line ${n}\n`).join(""));
      expect(ports.stderr).toBe(Array.from({ length: 20 }, (_, n) => `told ${n * 1000 + 999}\n`).join(""));
    }, roomy);
    await roomy.rest?.();
  });

  test("sends a long result whole in parts where it may be kept", async () => {
    const roomy = engineCase.create({ ...limits, outputBytes: 50_000_000 });
    await within(async (sandbox) => {
      const ports = new Recorder();
      const outcome = await sandbox.run(programOf("longList"), ports, { timeoutMs: 60_000 });
      const { value, parts } = outcome as Extract<Outcome, { end: "ok" }>;
      expect(parts).toEqual({ unit: "items", total: 200_000, kept: 200_000 });
      const whole = JSON.parse(ports.result) as unknown[];
      expect([whole.length, whole.at(-1)]).toEqual([200_000, { id: 199_999, name: "üser" }]);
      expect(value).toEqual(whole.slice(0, (value as unknown[]).length));
    }, roomy);
    await roomy.rest?.();
  });

  only("python")("ends a guest at its files, its scratch space and its threads", async () => {
    expect(await run("bigFile")).toMatchObject({ outcome: { end: "limit", limit: "scratch" }, ended: true });
    expect(await outcomeOf("manyFiles")).toEqual({ end: "limit", limit: "open_files" });
    const threads = await outcomeOf("manyThreads");
    expect(threads).toMatchObject(engineCase.hasThreads ? { end: "limit", limit: "processes" } : { end: "error" });
  });

  test("ends a guest at its CPU time", async () => {
    const brief = engineCase.create({ ...limits, cpuSeconds: 1 });
    await within(async (sandbox) => {
      expect(await sandbox.run(programOf("spins"), new Recorder(), { timeoutMs: 20_000 })).toEqual({
        end: "limit",
        limit: "cpu",
      });
    }, brief);
    await brief.rest?.();
  });

  test("lets a guest leave by itself, and does not take that for success", async () => {
    const { outcome, ports } = await run("exits");
    expect([outcome, ports.stdout]).toEqual([{ end: "ok" }, "bye\n"]);
    expect(await outcomeOf("exitsBadly")).toMatchObject({
      end: "error",
      error: { message: expect.stringContaining("code 3") },
    });
    expect((await outcomeOf("leaves")).end).not.toBe("ok");
  });

  test("ends a run when it is cancelled", async () => {
    const controller = new AbortController();
    const running = run("never", { signal: controller.signal });
    setTimeout(() => controller.abort(), 200);
    expect((await running).outcome).toEqual({ end: "cancelled" });
  });

  test("keeps what a program defines for the next one in the same sandbox, and for no other", async () => {
    await within(async (sandbox) => {
      const again = (name: ProgramName) => sandbox.run(programOf(name), new Recorder(), { timeoutMs: 10_000 });
      expect(await again("defines")).toEqual({ end: "ok" });
      expect(await again("uses")).toMatchObject({ end: "ok", value: [42, 42] });
      expect(await again("throws")).toMatchObject({ end: "error" });
      expect(await again("uses")).toMatchObject({ end: "ok", value: [43, 43] });
    });
    expect(await outcomeOf("sees")).toEqual({ end: "ok", value: "undefined" });
  });

  const canLinger = language === "typescript" || engineCase.hasThreads;
  test.runIf(canLinger)("refuses calls after the end of the run", async () => {
    await within(async (sandbox) => {
      const ports = new Recorder();
      expect(await sandbox.run(programOf("callsLate"), ports, { timeoutMs: 10_000 })).toMatchObject({ end: "ok" });
      await new Promise((resolve) => setTimeout(resolve, 80));
      expect(await sandbox.run(programOf("call"), new Recorder(), { timeoutMs: 10_000 })).toMatchObject({ end: "ok" });
      expect(ports.calls).toEqual([]);
    });
  });

  afterAll(async () => {
    if (absence !== undefined) return;
    await engine.rest?.();
    // Every sandbox was a child of this process: none may be left.
    await vi.waitFor(() => {
      const left = execFileSync("ps", ["-o", "args=", "--ppid", String(process.pid)]).toString();
      expect(left.split("\n").filter((line) => /bwrap|podman|\/deno/.test(line))).toEqual([]);
    }, 3000);
  });
});
