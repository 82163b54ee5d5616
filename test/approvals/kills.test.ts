import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore } from "../../src/store/sqlite/store.ts";
import { bundleProgram } from "../bundle-program.ts";
import { server } from "../gateway/connect.ts";

// A coordinator is killed at each point of an asked call's way. Nothing may be sent twice, by it or by those that go on after
// it, and no decision that was acknowledged may be lost. The long look, every 24 kills each combination of point, language and
// number of calls: APPROVAL_KILLS=300 APPROVAL_SEED=1 npx vitest run test/approvals/kills.test.ts

const kills = Number(process.env["APPROVAL_KILLS"] ?? 8);
const seed = Number(process.env["APPROVAL_SEED"] ?? 1);
const points = ["before the ask", "asked", "approved", "intent", "sent", "settled"] as const;
const languages = ["typescript", "python"] as const;
const execute = promisify(execFile);
const bundles = fileURLToPath(new URL(`../../node_modules/.tmp/killed-${process.pid}`, import.meta.url));
const program = join(bundles, "killed.mjs");

beforeAll(() => bundleProgram(new URL("./killed.fixture.ts", import.meta.url), program));
afterAll(() => rmSync(bundles, { recursive: true, force: true }));

interface Kill {
  readonly point: (typeof points)[number];
  readonly language: (typeof languages)[number];
  readonly calls: 1 | 8;
  /** At which call of them. */
  readonly nth: number;
}

/** Every combination in turn, however few there are: each point is among them. */
function killOf(number: number): Kill {
  const combination = (5 * (number + seed)) % (points.length * languages.length * 2);
  const point = points[combination % points.length] ?? "asked";
  const rest = Math.floor(combination / points.length);
  const language = languages[rest % languages.length] ?? "typescript";
  const calls = rest < languages.length ? 1 : 8;
  return { point, language, calls, nth: 1 + ((number * 7919 + seed * 104_729) % calls) };
}

const codes = {
  typescript: (calls: number) =>
    `import { send_mail } from "mcp_tools/ledger";\nawait Promise.all(Array.from({ length: ${calls} }, (_, n) => send_mail({ to: String(n) })));`,
  python: (calls: number) =>
    `import asyncio\nfrom mcp_tools.aio import ledger\nawait asyncio.gather(*[ledger.send_mail(to=str(n)) for n in range(${calls})])`,
};

/** Kills one coordinator; gives what was sent by whom, and what was decided. */
async function killOne({ point, language, calls, nth }: Kill, claimers: number, more: NodeJS.ProcessEnv = {}) {
  const folder = mkdtempSync(join(tmpdir(), "killed-"));
  const [ledger, claims, data] = ["ledger.jsonl", "claims", "data"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const config = join(folder, "mcp_servers.json");
  const entry = server("ledger-server", ledger, ...(point === "sent" ? ["--kill-at", String(nth)] : []));
  const policy = { rules: [{ id: "mail", match: { tool: "send_*" }, action: "ask" }] };
  writeFileSync(config, JSON.stringify({ mcpServers: { ledger: entry }, coordinator: { policy } }));
  const env = {
    ...process.env,
    ...{ POINT: point, NTH: String(nth), CONFIG: config, LANGUAGE: language, CODE: codes[language](calls) },
    ...{ MCP_COORDINATOR_HOME: data, DATA: data, CLAIMS: claims },
    ...more,
  };
  const child = spawn(process.execPath, [program], {
    env: { ...env, WHAT: "run" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const decided = await decideUntilDead(child, data, nth + seed);
  const claim = () => execute(process.execPath, [program], { env: { ...env, WHAT: "claim" } });
  const opened = (await Promise.all(Array.from({ length: claimers }, claim))).map(({ stdout }) => Number(stdout));
  const lines = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);
  const sent = [...lines(ledger).map((line) => JSON.stringify(JSON.parse(line).args)), ...lines(claims)];
  using store = openStore(data);
  const rows = await store.approvals.list({});
  rmSync(folder, { recursive: true });
  return { signal: child.signalCode, decided, rows, sent, opened };
}

/** None takes so long to come to its point, on however busy a machine. */
const hangMs = 90_000;

/** A person in another process, who allows whatever waits. Gives the approvals whose decision was acknowledged. */
async function decideUntilDead(child: ChildProcess, data: string, pace: number): Promise<readonly string[]> {
  const over = once(child, "exit");
  const hangs = setTimeout(() => child.kill("SIGABRT"), hangMs);
  const decided: string[] = [];
  while (child.exitCode === null && child.signalCode === null) {
    await Promise.race([over, delay(5 + ((pace * 37) % 60))]);
    if (!existsSync(join(data, "coordinator.db"))) continue;
    using store = openStore(data);
    for (const { id } of await store.approvals.list({ states: ["pending"] })) {
      const decision = { state: "approved", scope: "once", by: "anna", channel: "cli" } as const;
      if ((await store.approvals.decide(id, decision))?.isFirst) decided.push(id);
    }
  }
  clearTimeout(hangs);
  return decided;
}

test(`of ${kills} coordinators that are killed on the way of an asked call none sends twice, and none loses a decision (seed ${seed})`, async () => {
  const reached = new Map<string, number>();
  let slowest = 0;
  let calls = 0;
  for (const kill of Array.from({ length: kills }, (_, number) => killOf(number))) {
    const { signal, decided, rows, sent, opened } = await killOne(kill, 2);
    const what = JSON.stringify(kill);
    expect(signal, what).toBe("SIGKILL");
    expect(new Set(sent).size, `${what} sent ${sent}`).toBe(sent.length);
    const kept = new Map(rows.map((row) => [row.id, row]));
    for (const id of decided) expect(kept.get(id), what).toMatchObject({ decidedBy: "anna", scope: "once" });
    // What goes on after it does all that was decided and not done, and nothing else.
    const allowed = new Set(rows.filter(({ decidedBy }) => decidedBy === "anna").map(({ args }) => args));
    for (const args of sent) expect(allowed, what).toContain(args);
    expect(
      rows.filter(({ state }) => state === "approved"),
      what,
    ).toEqual([]);
    slowest = Math.max(slowest, ...opened);
    calls += sent.length;
    const { point, language, calls: atOnce } = kill;
    const where = `${point}, ${language}, ${atOnce}`;
    reached.set(where, (reached.get(where) ?? 0) + 1);
  }
  expect(slowest).toBeLessThan(2000);
  expect(reached.size).toBe(Math.min(kills, 2 * languages.length * points.length));
  console.log(
    `${kills} kills, seed ${seed}: ${reached.size} combinations, ${calls} calls sent, each once; the slowest store opened in ${slowest.toFixed(0)} ms`,
  );
}, 3_600_000);

test("without the claim, the same is found to send twice", async () => {
  const { sent } = await killOne({ point: "settled", language: "typescript", calls: 1, nth: 1 }, 2, {
    WITHOUT_CLAIM: "1",
  });
  expect(new Set(sent).size).toBeLessThan(sent.length);
});
