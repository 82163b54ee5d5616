import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { bundle } from "../../upstream/test-servers.fixture.ts";
import type { Sandbox } from "../engine.ts";
import { testLimits } from "../limits.fixture.ts";
import { createSpawners } from "./spawner.ts";

const folder = mkdtempSync(join(tmpdir(), "spawner-"));
const filter = join(folder, "filter");
writeFileSync(filter, "the filter");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A guest that tells what it has been given. */
const guest = `
const { readdirSync, readFileSync, readlinkSync } = require("node:fs");
const send = (message) => {
  const body = Buffer.from(JSON.stringify(message));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  process.stdout.write(Buffer.concat([length, body]));
};
const linkOf = (descriptor) => { try { return readlinkSync("/proc/self/fd/" + descriptor) } catch { return "" } };
const given = readdirSync("/proc/self/fd").map((descriptor) => [descriptor, linkOf(descriptor)]);
const limits = readFileSync("/proc/self/limits", "utf8");
process.stderr.write("words of a guest");
process.stdin.on("data", (frame) => {
  const { code } = JSON.parse(frame.subarray(4));
  if (code !== "tell") process.exit(Number(code));
  const sockets = given.filter(([, link]) => link.startsWith("socket:"));
  send({ type: "done", value: { pid: process.pid, parent: process.ppid, sockets, limits, filter: linkOf(3) } });
});
process.stdin.on("end", () => process.exit(0));
send({ type: "ready" });
`;
const limits = { dataMb: 4096, cpuSeconds: 50, openFiles: 200, stackMb: 4 };
const command = { words: [process.execPath, "-e", guest], spawner: { limits, filter } };
const failing = { ...command, words: ["/bin/sh", "-c", "echo words of its own >&2; exit 3"] };

const open: ReturnType<typeof createSpawners>[] = [];
const started: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of started.splice(0)) sandbox.kill();
  for (const spawners of open.splice(0)) await spawners.retire();
});

function openSpawners() {
  const spawners = createSpawners((code) => ({ end: "crashed", reason: `code ${code}` }));
  open.push(spawners);
  return {
    async start(what: typeof command = command): Promise<Sandbox> {
      const sandbox = await spawners.start(what, testLimits, undefined);
      started.push(sandbox);
      return sandbox;
    },
  };
}

interface Told {
  readonly pid: number;
  readonly parent: number;
  readonly sockets: readonly [descriptor: string, socket: string][];
  readonly limits: string;
  readonly filter: string;
}

const ports = { call: async () => "null", operation: async () => "null", print: () => {} };
const run = (sandbox: Sandbox, code: string) =>
  sandbox.run({ code, libraries: [], modules: [], operations: [], imports: { allow: [], deny: [] } }, ports, {
    timeoutMs: 60_000,
  });
const tell = async (sandbox: Sandbox): Promise<Told> => {
  const outcome = await run(sandbox, "tell");
  if (outcome.end !== "ok") throw new Error(JSON.stringify(outcome));
  return outcome.value as Told;
};
const parentOf = (pid: number) => Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
const isGone = (pid: number) => vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), 60_000);

test("each guest has a channel of its own, the filter, the limits, and nothing of other guests", async () => {
  const { start } = openSpawners();
  const sandboxes: Sandbox[] = [];
  // More than one spawner has.
  for (let count = 0; count < 9; count++) sandboxes.push(await start());
  const all = await Promise.all(sandboxes.map(tell));
  const channels = all.map(({ sockets }) => {
    expect(sockets.map(([descriptor]) => descriptor)).toEqual(["0", "1", "2"]);
    expect(sockets[0]?.[1]).toBe(sockets[1]?.[1]);
    return sockets[0]?.[1];
  });
  expect(new Set(channels).size).toBe(9);
  expect(new Set(all.map(({ parent }) => parentOf(parent))).size).toBe(2);
  const told = all[0] as Told;
  expect(told.filter).toBe(filter);
  const limitOf = (name: string) => new RegExp(`^${name} +(\\S+) +(\\S+)`, "m").exec(told.limits)?.slice(1);
  expect(limitOf("Max data size")).toEqual([String(4096 * 1024 * 1024), String(4096 * 1024 * 1024)]);
  expect(limitOf("Max cpu time")).toEqual(["50", "51"]);
  expect(limitOf("Max core file size")).toEqual(["0", "0"]);
  expect(limitOf("Max open files")).toEqual(["200", "200"]);
  expect(limitOf("Max stack size")).toEqual([String(4 * 1024 * 1024), String(4 * 1024 * 1024)]);
});

test("a guest that is killed ends, and no other", async () => {
  const { start } = openSpawners();
  const [one, other] = [await start(), await start()];
  const { pid } = await tell(one);
  one.kill();
  await isGone(pid);
  expect((await tell(other)).pid).not.toBe(pid);
});

test("a guest's own end is told with its code", async () => {
  const { start } = openSpawners();
  expect(await run(await start(), "7")).toEqual({ end: "crashed", reason: "code 7" });
});

test("a spawner that is killed takes its guests with it", async () => {
  const sandbox = await openSpawners().start();
  const { pid, parent } = await tell(sandbox);
  process.kill(parentOf(parent), "SIGKILL");
  await isGone(pid);
});

test("what fails to start says why, unless a guest may have said it", async () => {
  await expect(openSpawners().start(failing)).rejects.toThrow("before it was ready: words of its own");
  const { start } = openSpawners();
  const first = join(mkdtempSync(join(folder, "once-")), "first");
  const once = ["/bin/sh", "-c", `mkdir "${first}" && exec "$0" "$@" || exit 3`];
  await start({ ...command, words: [...once, ...command.words] });
  await expect(start()).rejects.toThrow("before it was ready: code 3");
});

const dying = `
import { createSpawners } from "./spawner.ts";
const spawners = createSpawners(() => ({ end: "crashed", reason: "" }));
const sandbox = await spawners.start(${JSON.stringify(command)}, ${JSON.stringify(testLimits)});
const outcome = await sandbox.run({ code: "tell" }, {}, { timeoutMs: 60_000 });
process.stdout.write(String(outcome.value.pid), () => process.kill(process.pid, "SIGKILL"));
`;

test("guests end with us, even when we are killed", async () => {
  const running = promisify(execFile)(process.execPath, [bundle(dying, import.meta.url)]);
  const { stdout } = await running.catch((killed: { stdout: string }) => killed);
  await isGone(Number(stdout));
});
