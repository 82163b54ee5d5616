import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDenoEngine } from "../../src/sandbox/deno/engine.ts";
import type { CallRequest, Engine, GuestPorts, Limits, Outcome, Program } from "../../src/sandbox/engine.ts";

// One suite for every engine: what a guest may expect of a sandbox, and what the host may.
// Programs are given compiled, as the runtime hands them over.

const limits: Limits = { memoryMb: 128, cpuSeconds: 20, outputBytes: 100_000, toolCalls: 100, parallelToolCalls: 4 };

interface Dialect {
  readonly engine: Engine;
  readonly program: (name: keyof typeof typescript) => Program;
}

const typescript = {
  value: "async () => ({ a: [1, 'x', null], when: new Date(0) })",
  nothing: "async () => undefined",
  prints: "async () => { console.log('out', { a: 1 }); console.error('err'); process.stdout.write('raw\\n'); }",
  throws: "async () => { throw new TypeError('broken') }",
  throwsNull: "async () => { throw null }",
  unhandled: "async () => { Promise.reject(new Error('nobody looked')); return 1 }",
  call: "async (load) => { const m = await load('mcp_tools/echo', ['say']); return m.say({ text: 'hi' }) }",
  exact: "async (load) => { const m = await load('mcp_tools/echo'); return m.call('say-it', { text: 'hi' }) }",
  fails: `async (load) => { const m = await load('mcp_tools/echo'); const { ToolError } = await load('mcp_tools');
    try { await m.call('fail') } catch (e) { return [e instanceof ToolError, e.server, e.tool, e.delivery, e.message] } }`,
  parallel:
    "async (load) => { const m = await load('mcp_tools/echo'); return (await Promise.all(Array.from({ length: 20 }, (_, i) => m.say({ i })))).length }",
  forgotten: "async (load) => { const m = await load('mcp_tools/echo'); m.say({ i: 1 }); }",
  tooManyCalls:
    "async (load) => { const m = await load('mcp_tools/echo'); for (let i = 0; i < 101; i++) await m.say({ i }) }",
  big: "async (load) => { const m = await load('mcp_tools/echo'); const rows = await m.call('rows'); return [rows.length, rows.at(-1)] }",
  missing: "async (load) => load('mcp_tools/other')",
  spins: "async () => { for (;;); }",
  never: "async () => new Promise(() => {})",
  allocates: "async () => { const all = []; for (;;) all.push(new Array(1e5).fill(Math.random())) }",
  allocatesBuffers: "async () => { const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1)) }",
  floods: "async () => { for (;;) console.log('x'.repeat(1000)) }",
  floodsEmpty: "async () => { for (;;) console.log('') }",
  hugeResult: "async () => 'x'.repeat(20_000_000)",
  cyclic: "async () => { const a = { b: 1 }; a.a = a; return a }",
  deepResult: "async () => { let a = []; for (let i = 0; i < 2000; i++) a = [a]; return a }",
  exits: "async () => { console.log('bye'); process.exit(0) }",
  exitsBadly: "async () => { process.exit(3) }",
  environment: "async () => Object.keys(process.env)",
  network: "async () => { try { await fetch('http://127.0.0.1:1/') } catch (e) { return e.message } }",
  files:
    "async () => { const fs = await import('node:fs'); try { return fs.readFileSync('/etc/passwd', 'utf8') } catch (e) { return 'refused' } }",
  spawns:
    "async () => { const c = await import('node:child_process'); try { return c.execSync('id').toString() } catch (e) { return 'refused' } }",
  node: `async () => { const { createHash } = await import("node:crypto"); const { gzipSync, gunzipSync } = await import("node:zlib");
    const { Readable } = await import("node:stream"); let text = ""; for await (const part of Readable.from(["a", "b"])) text += part;
    return [createHash("sha256").update("x").digest("hex").slice(0, 6), gunzipSync(gzipSync("hi")).toString(), text] }`,
  standard: `async () => [new Intl.NumberFormat('en-US').format(1234.5), new URL('https://a.b/c?d=1').searchParams.get('d'),
    new TextDecoder().decode(new TextEncoder().encode('é')), crypto.randomUUID().length, await new Promise((r) => setTimeout(() => r('timer'), 5))]`,
};

const deno: Dialect = {
  engine: createDenoEngine({ limits, isolation: "engine", findProgram: (name) => `/usr/bin/${name}` }),
  program: (name) => ({
    code: typescript[name],
    libraries: [{ server: "echo server", module: "echo", tools: [["say", "say"]] }],
    operations: [],
  }),
};

class Recorder implements GuestPorts {
  readonly calls: CallRequest[] = [];
  stdout = "";
  stderr = "";
  running = 0;
  mostRunning = 0;
  aborted = 0;

  async call(request: CallRequest, signal: AbortSignal): Promise<string> {
    this.calls.push(request);
    this.mostRunning = Math.max(this.mostRunning, ++this.running);
    signal.addEventListener("abort", () => this.aborted++);
    // As long as a quick tool takes: calls that a guest makes at once overlap.
    await new Promise((resolve) => setTimeout(resolve, 5));
    this.running--;
    if (request.tool === "fail") {
      throw Object.assign(new Error("no luck"), { server: "echo server", tool: "fail", delivery: "failed" });
    }
    if (request.tool === "rows") {
      return JSON.stringify(Array.from({ length: 10_000 }, (_, id) => ({ id, text: "x".repeat(500) })));
    }
    return JSON.stringify(request.args);
  }

  operation(): Promise<string> {
    throw new Error("no operation here");
  }

  print(stream: "stdout" | "stderr", text: string): void {
    this[stream] += text;
  }
}

describe.each([["deno", deno]])("the engine %s", (_name, dialect) => {
  const run = async (name: keyof typeof typescript, options: { timeoutMs?: number; signal?: AbortSignal } = {}) => {
    const ports = new Recorder();
    const sandbox = await dialect.engine.start();
    const outcome: Outcome = await sandbox.run(dialect.program(name), ports, { timeoutMs: 10_000, ...options });
    sandbox.kill();
    return { outcome, ports };
  };
  const outcomeOf = async (name: keyof typeof typescript, timeoutMs?: number) =>
    (await run(name, timeoutMs === undefined ? {} : { timeoutMs })).outcome;

  beforeAll(async () => {
    expect(await dialect.engine.isolation()).toMatchObject({ layer: "os" });
  });

  test("returns the last value as plain data", async () => {
    expect(await outcomeOf("value")).toEqual({
      end: "ok",
      value: { a: [1, "x", null], when: "1970-01-01T00:00:00.000Z" },
    });
    expect(await outcomeOf("nothing")).toEqual({ end: "ok" });
    expect(await outcomeOf("cyclic")).toEqual({ end: "ok", value: { b: 1, a: "[Circular]" } });
  });

  test("keeps stdout and stderr apart and in order", async () => {
    const { ports } = await run("prints");
    expect([ports.stdout, ports.stderr]).toEqual(['out {"a":1}\nraw\n', "err\n"]);
  });

  test("reports what the guest throws, with its class", async () => {
    expect(await outcomeOf("throws")).toMatchObject({ end: "error", error: { name: "TypeError", message: "broken" } });
    expect(await outcomeOf("throwsNull")).toMatchObject({
      end: "error",
      error: { message: expect.stringContaining("null") },
    });
    expect(await outcomeOf("unhandled")).toMatchObject({ end: "error", error: { message: "nobody looked" } });
    expect(await outcomeOf("missing")).toMatchObject({
      end: "error",
      error: { message: expect.stringContaining("mcp_tools/other") },
    });
  });

  test("calls a tool by its identifier and by its exact name", async () => {
    expect(await outcomeOf("call")).toEqual({ end: "ok", value: { text: "hi" } });
    const { ports } = await run("exact");
    expect(ports.calls).toEqual([
      expect.objectContaining({ server: "echo server", tool: "say-it", args: { text: "hi" } }),
    ]);
  });

  test("raises a failed call as ToolError that says where it failed and whether it was delivered", async () => {
    expect(await outcomeOf("fails")).toEqual({ end: "ok", value: [true, "echo server", "fail", "failed", "no luck"] });
  });

  test("runs calls in parallel up to the limit and queues the rest", async () => {
    const { outcome, ports } = await run("parallel");
    expect(outcome).toEqual({ end: "ok", value: 20 });
    expect(ports.mostRunning).toBe(limits.parallelToolCalls);
  });

  test("waits for a call that the guest did not await", async () => {
    const { outcome, ports } = await run("forgotten");
    expect([outcome, ports.calls.length, ports.running]).toEqual([{ end: "ok" }, 1, 0]);
  });

  test("takes a tool result of 5 MB", async () => {
    expect(await outcomeOf("big")).toEqual({ end: "ok", value: [10_000, { id: 9999, text: "x".repeat(500) }] });
  });

  test("gives the guest the standard library and nothing of the host", async () => {
    expect(await outcomeOf("standard")).toEqual({ end: "ok", value: ["1,234.5", "1", "é", 36, "timer"] });
    expect(await outcomeOf("node")).toEqual({ end: "ok", value: ["2d7116", "hi", "ab"] });
    expect(await outcomeOf("environment")).toEqual({ end: "ok", value: [] });
    expect(await outcomeOf("network")).toEqual({ end: "ok", value: expect.stringContaining("no network") });
    expect(await outcomeOf("files")).toEqual({ end: "ok", value: "refused" });
    expect(await outcomeOf("spawns")).toEqual({ end: "ok", value: "refused" });
  });

  test("ends a guest at its time, whether it spins or waits", async () => {
    expect(await outcomeOf("spins", 300)).toEqual({ end: "timeout" });
    expect(await outcomeOf("never", 300)).toEqual({ end: "timeout" });
  });

  test("ends a guest at its memory, its output, its calls and its depth", async () => {
    expect(await outcomeOf("allocates")).toEqual({ end: "limit", limit: "memory" });
    expect(await outcomeOf("allocatesBuffers")).toEqual({ end: "limit", limit: "memory" });
    expect(await outcomeOf("floods")).toEqual({ end: "limit", limit: "output" });
    expect(await outcomeOf("floodsEmpty")).toEqual({ end: "limit", limit: "output" });
    expect(await outcomeOf("hugeResult")).toEqual({ end: "limit", limit: "output" });
    expect(await outcomeOf("tooManyCalls")).toEqual({ end: "limit", limit: "tool_calls" });
    expect(await outcomeOf("deepResult")).toEqual({ end: "limit", limit: "frame" });
  });

  test("ends a guest at its CPU time", async () => {
    const engine = createDenoEngine({
      limits: { ...limits, cpuSeconds: 1 },
      isolation: "os",
      findProgram: (name) => `/usr/bin/${name}`,
    });
    const sandbox = await engine.start();
    expect(await sandbox.run(dialect.program("spins"), new Recorder(), { timeoutMs: 20_000 })).toEqual({
      end: "limit",
      limit: "cpu",
    });
  });

  test("lets a guest leave by itself", async () => {
    const { outcome, ports } = await run("exits");
    expect([outcome, ports.stdout]).toEqual([{ end: "ok" }, "bye\n"]);
    expect(await outcomeOf("exitsBadly")).toMatchObject({
      end: "error",
      error: { message: expect.stringContaining("code 3") },
    });
  });

  test("ends a run when it is cancelled", async () => {
    const controller = new AbortController();
    const running = run("never", { signal: controller.signal });
    setTimeout(() => controller.abort(), 200);
    expect((await running).outcome).toEqual({ end: "cancelled" });
  });

  afterAll(() => {
    // Every sandbox was a child of this process: none may be left.
    const left = execFileSync("ps", ["-o", "args=", "--ppid", String(process.pid)]).toString();
    expect(left).not.toContain("/deno");
  });
});
