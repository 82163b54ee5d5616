import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { bundle } from "../../upstream/test-servers.fixture.ts";
import { serveHttp, serveSockets } from "../egress/local-server.fixture.ts";
import { type ConfinedCommand, runConfined } from "./run-confined.ts";

// Real sandboxes; the command is Node itself, which is in there anyway. Needs a build.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "confined-test-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const run = (script: string, options: Partial<ConfinedCommand> = {}) =>
  runConfined({
    command: ["/forward/node", "-e", script],
    readable: new Map(),
    writable: { inside: "/work", outside: folder },
    env: new Map(),
    reachable: [],
    timeoutSeconds: 20,
    maxMb: 16,
    findProgram: (name) => `/usr/bin/${name}`,
    ...options,
  });

/** Asks through the proxy, by CONNECT and by GET, and prints what came of it. */
const ask = (target: string) => `
  const http = require("node:http");
  const proxy = new URL(process.env.HTTPS_PROXY);
  const path = "${target}";
  const isTunnel = !path.startsWith("http:");
  const request = http.request({ host: proxy.hostname, port: proxy.port, method: isTunnel ? "CONNECT" : "GET", path });
  request.on("connect", (answer, socket) => {
    console.log("connect", answer.statusCode);
    if (answer.statusCode !== 200) process.exit(0);
    socket.on("data", (data) => { console.log("said", String(data)); process.exit(0); });
    socket.write("hello");
  });
  request.on("response", (answer) => {
    answer.setEncoding("utf8");
    answer.on("data", (data) => console.log("got", answer.statusCode, data));
    if (answer.statusCode !== 200) console.log("got", answer.statusCode);
  });
  request.on("error", (error) => console.log("failed", error.code));
  request.end();
`;

describe("what a confined command has", () => {
  test("one folder to write to, the environment that it was given, its exit code and its lines", async () => {
    const lines: string[] = [];
    const script = `
      require("node:fs").writeFileSync("made.txt", process.cwd());
      console.log(Object.keys(process.env).filter((name) => !/CERT|CA_BUNDLE|proxy/i.test(name)).sort().join());
      console.error("\\x1b[31mred\\x1b[0m");
      process.exitCode = 7;`;
    const end = await run(script, { env: new Map([["GIVEN", "yes"]]), onOutput: (line) => lines.push(line) });
    expect(end).toMatchObject({ exitCode: 7, refused: [] });
    expect(readFileSync(join(folder, "made.txt"), "utf8")).toBe("/work");
    expect(lines.sort()).toEqual(["GIVEN,PWD", "red"]);
  });

  test("nothing of the host's files, processes or rights", async () => {
    const secret = join(tmpdir(), `confined-secret-${process.pid}`);
    writeFileSync(secret, "secret");
    const script = `
      const fs = require("node:fs");
      const tried = (work) => { try { return work(); } catch (error) { return error.code; } };
      console.log(JSON.stringify({
        secret: tried(() => fs.readFileSync(${JSON.stringify(secret)}, "utf8")),
        home: tried(() => fs.readdirSync("/root")),
        passwords: tried(() => fs.readFileSync("/etc/passwd", "utf8")),
        root: tried(() => fs.writeFileSync("/canary", "x")),
        program: tried(() => fs.writeFileSync("/forward/forward.mjs", "x")),
        processes: fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).length < 8,
        capabilities: /^CapEff:\\s0+$/m.test(fs.readFileSync("/proc/self/status", "utf8")),
        networks: [...fs.readFileSync("/proc/net/dev", "utf8").matchAll(/^\\s*(\\S+):/gm)].map(([, name]) => name),
      }));`;
    const { output } = await run(script);
    rmSync(secret);
    expect(JSON.parse(output)).toEqual({
      secret: "ENOENT",
      home: "ENOENT",
      passwords: "ENOENT",
      root: "EROFS",
      program: "EROFS",
      processes: true,
      capabilities: true,
      networks: ["lo"],
    });
  });
});

describe("what a confined command reaches", () => {
  test("a host that it may, by CONNECT and by GET, even a local one that the user named", async () => {
    await using echo = await serveSockets((socket) => socket.on("data", (data) => socket.end(`${data} back`)));
    await using web = await serveHttp((request, response) => response.end(`page ${request.headers.host}`));
    const reachable = [echo, web].map(({ port }) => ({ host: "127.0.0.1", port, isTrusted: true }));
    expect((await run(ask(`127.0.0.1:${echo.port}`), { reachable })).output).toBe("connect 200\nsaid hello back");
    expect((await run(ask(`http://127.0.0.1:${web.port}/simple?a=1`), { reachable })).output).toBe(
      `got 200 page 127.0.0.1:${web.port}`,
    );
    expect(web.requests).toEqual(["GET /simple?a=1"]);
  });

  test("no other host or port, which is told, and none without the proxy", async () => {
    await using canary = await serveHttp((_request, response) => response.end("reached"));
    const reachable = [{ host: "127.0.0.1", port: canary.port === 1 ? 2 : 1, isTrusted: true }];
    for (const target of [`127.0.0.1:${canary.port}`, `http://127.0.0.1:${canary.port}/`]) {
      const end = await run(ask(target), { reachable });
      expect(end.output).toMatch(/ 403$/);
      expect(end.refused).toEqual([`127.0.0.1:${canary.port}`]);
    }
    const direct = `require("node:net").connect(${canary.port}, "127.0.0.1").on("error", (e) => console.log(e.code))`;
    expect((await run(direct)).output).toBe("ECONNREFUSED");
    expect(canary.requests).toEqual([]);
  });

  test("no private address behind a name that the user did not name", async () => {
    await using canary = await serveHttp((_request, response) => response.end("reached"));
    const reachable = [{ host: "127.0.0.1", port: canary.port, isTrusted: false }];
    const end = await run(ask(`127.0.0.1:${canary.port}`), { reachable });
    expect(end.output).toBe("connect 403");
    expect(end.unreachable.join()).toContain("not public");
    expect(canary.open.size).toBe(0);
  });
});

describe("what ends a confined command", () => {
  test("its time, with all that it started", async () => {
    const script = `
      const { spawn } = require("node:child_process");
      const beat = 'setInterval(() => require("node:fs").appendFileSync("/work/beat", "."), 20)';
      spawn("/forward/node", ["-e", beat], { detached: true, stdio: "ignore" }).unref();
      setInterval(() => {}, 1000);`;
    expect(await run(script, { timeoutSeconds: 4 })).toMatchObject({ exitCode: null, stopped: "timeout" });
    const beats = existsSync(join(folder, "beat")) ? readFileSync(join(folder, "beat")).length : 0;
    expect(beats).toBeGreaterThan(0);
    await delay(200);
    expect(readFileSync(join(folder, "beat")).length).toBe(beats);
  });

  test("the size of its folder, also when it ends at once", async () => {
    const write = `for (let n = 0; n < 6; n++) require("node:fs").writeFileSync("file" + n, Buffer.alloc(1024 * 1024, 1));`;
    expect(await run(`${write} setInterval(() => {}, 1000);`, { maxMb: 4 })).toMatchObject({ stopped: "size" });
    expect(await run(write, { maxMb: 4 })).toMatchObject({ exitCode: null, stopped: "size" });
  });

  test("the number of its files, however small they are", async () => {
    const endless = `const fs = require("node:fs");
      for (let n = 0; ; n++) { if (n % 500 === 0) fs.mkdirSync("folder" + n); fs.writeFileSync("folder" + (n - n % 500) + "/" + n, ""); }`;
    expect(await run(endless, { maxEntries: 2000 })).toMatchObject({ exitCode: null, stopped: "entries" });
    const few = `for (let n = 0; n < 30; n++) require("node:fs").mkdirSync("empty" + n);`;
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    expect(await run(few, { maxEntries: 20 })).toMatchObject({ exitCode: null, stopped: "entries" });
    expect(await run("1", { maxEntries: 40 })).toMatchObject({ exitCode: 0 });
  });

  test("a signal", async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 300);
    const end = await run("setInterval(() => {}, 1000)", { signal: abort.signal });
    expect(end).toMatchObject({ exitCode: null, stopped: "cancelled" });
  });

  test("the end of the coordinator, even by SIGKILL", async () => {
    const file = bundle(`
      import { runConfined } from "../sandbox/confined/run-confined.ts";
      const beat = 'setInterval(() => require("node:fs").appendFileSync("/work/beat", "."), 20)';
      await runConfined({
        command: ["/forward/node", "-e", beat], readable: new Map(), env: new Map(), reachable: [],
        writable: { inside: "/work", outside: ${JSON.stringify(folder)} }, timeoutSeconds: 50, maxMb: 16,
        findProgram: (name) => "/usr/bin/" + name,
      });`);
    const host = spawn(process.execPath, [file], { stdio: "ignore" });
    const beats = () => (existsSync(join(folder, "beat")) ? readFileSync(join(folder, "beat")).length : 0);
    await vi.waitFor(() => expect(beats()).toBeGreaterThan(0), 30_000);
    host.kill("SIGKILL");
    await delay(2000);
    const last = beats();
    await delay(300);
    expect(beats()).toBe(last);
    rmSync(file);
  });

  test("leaves nothing of ours behind", async () => {
    const ours = () => readdirSync(tmpdir()).filter((name) => name.startsWith("mcp-coordinator-"));
    const before = ours();
    await run("1");
    expect(ours().filter((name) => !before.includes(name))).toEqual([]);
  });
});

test("without a sandbox nothing runs, and the fix is told", async () => {
  await expect(run("1", { findProgram: () => undefined })).rejects.toMatchObject({
    code: "engine_unavailable",
    hint: expect.stringContaining("bubblewrap"),
  });
});
