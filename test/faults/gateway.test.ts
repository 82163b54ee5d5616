import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openStore } from "../../src/store/sqlite/store.ts";
import { createHome, createWire, exitOf, processesUnder, spawnGateway } from "../gateway/connect.ts";
import { faultyEntry, leftOf, type Rig, startRig } from "./rig.ts";

// The gateway itself: its client, its signals, its sandboxes and the limits of the system.

const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
const residentMb = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
const descriptors = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

async function startWired(servers: object) {
  const child = spawnGateway(createHome(servers));
  child.stdin?.on("error", () => {}); // it has ended
  const wire = createWire(child);
  await wire.initialize();
  return { child, pid: child.pid as number, ...wire };
}

const callWork = (does: string) => ({
  name: "execute_code",
  arguments: { code: `import { work } from "mcp_tools/faulty"; await work({ do: ${JSON.stringify(does)} })` },
});

describe("a client", () => {
  test("F25 that does not read is not answered into our memory without end", async () => {
    const { child, pid } = await startWired({});
    child.stdout?.pause();
    const before = residentMb(pid);
    // The protocol has the address in the answer too.
    const params = { uri: `nothing://${"x".repeat(2000)}` };
    const request = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "resources/read", params })}\n`;
    // 3 MB of answers; the most that we hold is what one chunk of requests makes.
    for (let sent = 0; sent < 15; sent++) child.stdin?.write(request.repeat(100));
    await delay(1000);
    expect(residentMb(pid) - before).toBeLessThan(40);
    expect(child.stdin?.writableLength).toBeGreaterThan(1_000_000);
    child.stdout?.resume();
    await vi.waitFor(() => expect(child.stdin?.writableLength).toBe(0), 30_000);
    child.stdin?.end();
    expect(await exitOf(child)).toBe(0);
  });

  test("F26 that sends garbage, half a message and one of 9 MB is served on", async () => {
    const { child, send } = await startWired({});
    child.stdin?.write('{"jsonrpc":"2.0","id":7,"method":\n\u0000\u0001\n[1,2\n{}\n"text"\n');
    const large = await send("tools/call", { name: "none", arguments: { text: "x".repeat(9_000_000) } });
    expect(large).toHaveProperty("result");
    expect(await send("tools/list", {})).toHaveProperty("result.tools");
    child.stdin?.end();
    expect(await exitOf(child)).toBe(0);
  });

  test("F26 that sends a message of brackets is told so, wherever its id stands, and is served on", async () => {
    const { child, send } = await startWired({});
    const brackets = `${"[".repeat(2_000_000)}${"]".repeat(2_000_000)}`;
    const answers: unknown[] = [];
    child.stdout?.on("data", (chunk: Buffer) => answers.push(...chunk.toString().split("\n").filter(Boolean)));
    for (const ends of [
      `{"jsonrpc":"2.0","id":"first","method":"x","params":{"a":@}}`,
      `{"method":"x","params":{"id":3,"a":@},"jsonrpc":"2.0","id":8}`,
      `{"method":"x","params":{"a":@,"id":3}}`,
    ]) {
      child.stdin?.write(`${ends.replace("@", brackets)}\n`);
    }
    expect(await send("tools/list", {})).toHaveProperty("result.tools");
    const refused = answers.map((line) => JSON.parse(line as string)).filter(({ error }) => error);
    expect(refused.map(({ id, error }) => [id, error.code])).toEqual([
      ["first", -32600],
      [8, -32600],
      [null, -32600],
    ]);
    child.stdin?.end();
    expect(await exitOf(child)).toBe(0);
  });
});

describe("signals", () => {
  test("F51 SIGTERM while a server is still connecting ends that server too", async () => {
    const { child, pid, send } = await startWired({ faulty: faultyEntry("at-start=hang", "stubborn") });
    void send("tools/call", callWork("ok"));
    await vi.waitFor(
      () => expect(processesUnder(pid).some((below) => commandOf(below).includes("faulty.mjs"))).toBe(true),
      15_000,
    );
    const below = processesUnder(pid);
    const began = performance.now();
    child.kill("SIGTERM");
    expect(await exitOf(child)).toBe(0);
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(await leftOf(below, 2000)).toEqual([]);
  });

  test("F51 SIGTERM at any moment of the start ends it, and nothing is left", async () => {
    for (const ms of [0, 100, 250, 400]) {
      const child = spawnGateway(createHome({ faulty: faultyEntry() }));
      await delay(ms);
      const below = processesUnder(child.pid as number);
      child.kill("SIGTERM");
      const code = await exitOf(child);
      expect([0, null, 143], `after ${ms} ms`).toContain(code);
      expect(await leftOf(below, 3000)).toEqual([]);
    }
  });

  test.runIf(process.platform === "linux")(
    "F11 SIGKILL leaves no daemon that a server has put into a session of its own",
    async () => {
      const { child, pid, send } = await startWired({ faulty: faultyEntry() });
      await send("tools/call", callWork("daemon"));
      const daemons = readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .map(Number)
        .filter(isMarkedBy(pid));
      expect(daemons.length).toBeGreaterThanOrEqual(2);
      child.kill("SIGKILL");
      expect(await leftOf(daemons, 3000)).toEqual([]);
    },
  );
});

/** Whether the process carries the mark that the servers of this gateway have. */
function isMarkedBy(gateway: number): (pid: number) => boolean {
  const markOf = (pid: number) => {
    try {
      return /MCP_COORDINATOR_MARK=([^.]+)\./.exec(readFileSync(`/proc/${pid}/environ`, "utf8"))?.[1];
    } catch {
      return undefined; // gone, or of another user
    }
  };
  const mark = processesUnder(gateway).map(markOf).find(Boolean);
  return (pid) => mark !== undefined && markOf(pid) === mark;
}

describe("a sandbox", () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ faulty: {} });
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  test("F39 that is killed with a call in flight ends its run alone; the call is recorded, the next run is well", async () => {
    const running = rig.run('import { work } from "mcp_tools/faulty"; await work({ do: "hang", call: "in-flight" })');
    await vi.waitFor(() => expect(rig.log("faulty")).toContain("in-flight"), 20_000);
    const sandboxes = processesUnder(rig.gateway.pid).filter((pid) => / run .*guest|deno/.test(commandOf(pid)));
    for (const pid of sandboxes) kill(pid);
    const ended = await running;
    expect(ended).toMatchObject({ status: "error", error: { code: "sandbox_failed" } });
    expect(await rig.run("1 + 1")).toMatchObject({ status: "ok", result: 2 });
    await vi.waitFor(() => expect(rig.log("faulty")).toContain("cancelled"), 5000);
  });

  test("F45 whose result comes at the moment of its timeout has one end", async () => {
    const runs = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        rig.run(`await new Promise((done) => setTimeout(done, ${280 + index * 5})); 1`, { timeout: 0.3 }),
      ),
    );
    for (const { status, result, error } of runs) {
      expect(["ok", "timeout"]).toContain(status);
      expect(status === "ok").toBe(result === 1);
      expect(status === "timeout").toBe(error !== undefined);
    }
  });
});

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Its parent has taken it along.
  }
}

describe.runIf(process.platform === "linux")("the system", () => {
  test("F52 that gives no more descriptors makes calls fail in words, and all is well when it does again", async () => {
    await using rig = await startRig({ early: {}, late: {} });
    expect((await rig.work("early", "ok")).text).toBe("done");
    await rig.checkWell();
    const { pid } = rig.gateway;
    const before = descriptors(pid);
    const limit = (most: number) => execFileSync("prlimit", ["--pid", String(pid), `--nofile=${most}:`]);
    limit(before);
    const outcomes = await Promise.all(Array.from({ length: 3 }, () => rig.work("late", "ok")));
    for (const { error } of outcomes) expect(error?.delivery).toBe("not_sent");
    expect((await rig.work("early", "ok")).text).toBe("done");
    limit(1024);
    await delay(1000);
    expect((await rig.work("late", "ok")).text).toBe("done");
    await rig.checkWell();
    expect(descriptors(pid)).toBeLessThan(before + 30);
  });
});

describe("a data folder", () => {
  /** More for a long look: FAULTS_KILLS=500. */
  const kills = Number(process.env["FAULTS_KILLS"] ?? 2);

  test(`F46 of a coordinator that is killed at ${kills} moments under load is whole: no call without its intent, none twice`, async () => {
    const { home, config } = createHome({});
    const log = join(home, "log");
    writeFileSync(config, JSON.stringify({ mcpServers: { faulty: faultyEntry(`log=${log}`) } }));
    for (let kill = 0; kill < kills; kill++) {
      const child = spawnGateway({ home, config });
      child.stdin?.on("error", () => {}); // it is killed
      const { send, initialize } = createWire(child);
      await initialize();
      const code = (name: string) => `
        import { work } from "mcp_tools/faulty";
        for (let n = 0; ; n++) await Promise.all([0, 1, 2].map((k) => work({ do: "ok", call: "${name}-" + n + "-" + k })));`;
      for (const name of ["a", "b"]) {
        void send("tools/call", { name: "execute_code", arguments: { code: code(`${kill}${name}`) } });
      }
      await vi.waitFor(() => expect(readFileSync(log, "utf8")).toContain(`${kill}a-`), 20_000);
      await delay((kill * 7919) % 300);
      const below = processesUnder(child.pid as number);
      child.kill("SIGKILL");
      await exitOf(child);
      expect(await leftOf(below, 3000)).toEqual([]);
    }
    using store = openStore(join(home, "data"));
    const { journal } = store;
    const runs = await Promise.all((await journal.listRuns({ limit: 10_000 })).map(({ id }) => journal.getRun(id)));
    const intended = runs
      .flatMap((run) => run?.toolCalls ?? [])
      .map(({ args, outcome }) => ({ call: String(JSON.parse(args).call), outcome }));
    const ran = readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => /^\d+[ab]-/.test(line));
    expect(ran.length).toBeGreaterThan(kills * 3);
    expect(new Set(ran).size).toBe(ran.length);
    const known = new Set(intended.map(({ call }) => call));
    expect(ran.filter((call) => !known.has(call))).toEqual([]);
    // What was answered ran; what is open counts as unknown, never as running.
    const done = new Set(ran);
    expect(intended.filter(({ call, outcome }) => outcome === "ok" && !done.has(call))).toEqual([]);
    expect(intended.filter(({ outcome }) => outcome === "running")).toEqual([]);
  });

  test("F47 on a full disk refuses what needs the journal, keeps serving, and recovers", async ({ skip }) => {
    skip(!canMount(), "a full disk: nothing can be mounted here");
    const { home, config } = createHome({ faulty: faultyEntry() });
    const data = join(home, "data");
    execFileSync("mkdir", [data]);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", data]);
    try {
      const child = spawnGateway({ home, config });
      const { send, initialize } = createWire(child);
      await initialize();
      expect(await send("tools/call", callWork("ok"))).toMatchObject({
        result: { structuredContent: { status: "ok" } },
      });
      fill(join(data, "ballast"));
      const full = await send("tools/call", callWork("ok"));
      expect(JSON.stringify(full)).toMatch(/storage_(full|unavailable)|ENOSPC|full/);
      expect(await send("tools/list", {})).toHaveProperty("result.tools");
      execFileSync("rm", [join(data, "ballast")]);
      expect(await send("tools/call", callWork("ok"))).toMatchObject({
        result: { structuredContent: { status: "ok" } },
      });
      child.stdin?.end();
      expect(await exitOf(child)).toBe(0);
    } finally {
      execFileSync("umount", ["-l", data]);
    }
  });
});

function fill(path: string): void {
  for (let kilobytes = 4096; kilobytes >= 4; kilobytes /= 2) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(kilobytes * 1024), { flag: "a" });
    } catch {
      // Full for pieces of that size.
    }
  }
}

function canMount(): boolean {
  return process.platform === "linux" && process.getuid?.() === 0 && mountWorks();
}

function mountWorks(): boolean {
  const folder = createHome({}).home;
  try {
    execFileSync("mount", ["-t", "tmpfs", "tmpfs", folder], { stdio: "ignore" });
    execFileSync("umount", [folder]);
    return true;
  } catch {
    return false; // a container without the right to
  }
}
