import { readFileSync, writeFileSync } from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { connect, processesUnder } from "../gateway/connect.ts";
import { mail, open, python, rules, textOf, typescript } from "./scene.ts";

// What else goes on while a run waits for a person, and what of it ends.

const one = { waitSeconds: 1 };
const threads = (count: number) =>
  python(
    `import threading\ndone = []\ndef work(n):\n    done.append(ledger.send_mail(to=str(n)))\nthreads = [threading.Thread(target=work, args=(n,)) for n in range(${count})]\n[thread.start() for thread in threads]\n[thread.join() for thread in threads]\nprint(len(done))`,
  );

test.each([
  ["TypeScript", typescript(`${mail("a")};\nconsole.log("after")`)],
  ["Python", python('ledger.send_mail(to="a")\nprint("after")')],
])("the time of a run in %s stands still while it waits, however short it is", async (_language, request) => {
  await using scene = await open(undefined, { settings: one });
  const { structuredContent } = await scene.coordinator.call("execute_code", { ...request, timeout: 2 });
  const [approval] = await scene.pending(1);
  // Longer than the run may take.
  await scene.coordinator.call("resume_run", { run: structuredContent["run"] });
  await scene.coordinator.call("resume_run", { run: structuredContent["run"] });
  if (approval) await scene.decide(approval, { state: "approved" });
  const { structuredContent: resumed } = await scene.coordinator.call("resume_run", { run: structuredContent["run"] });
  expect(resumed).toMatchObject({ status: "ok", stdout: "after\n" });
});

test("calls that wait are none of those that may be made at once, and are one question", async () => {
  const sandbox = { limits: { parallelToolCalls: 2 } };
  await using scene = await open(undefined, { settings: one, more: { sandbox } });
  const code = `const asked = Promise.all(Array.from({ length: 8 }, (_, n) => ledger.send_mail({ to: String(n) })));
for (const path of ["x", "y", "z"]) await ledger.read_file({ path });
console.log("read");
await asked;`;
  await scene.coordinator.call("execute_code", typescript(code));
  const waiting = await scene.pending(8);
  expect(scene.done().map(({ tool }) => tool)).toEqual(["read_file", "read_file", "read_file"]);
  expect(
    Math.max(...waiting.map(({ askedAt }) => askedAt)) - Math.min(...waiting.map(({ askedAt }) => askedAt)),
  ).toBeLessThan(5000);
  for (const approval of waiting) await scene.decide(approval, { state: "approved" });
  const { run = "" } = waiting[0] ?? {};
  expect((await scene.coordinator.call("resume_run", { run })).structuredContent).toMatchObject({ status: "ok" });
  expect(scene.done()).toHaveLength(11);
});

test("threads of Python wait each for its own decision", async () => {
  await using scene = await open(undefined, { settings: one });
  await scene.coordinator.call("execute_code", threads(8));
  const waiting = await scene.pending(8);
  for (const approval of waiting) await scene.decide(approval, { state: "approved" });
  const { run = "" } = waiting[0] ?? {};
  const { structuredContent } = await scene.coordinator.call("resume_run", { run });
  expect(structuredContent).toMatchObject({ status: "ok", stdout: "8\n" });
  expect(new Set(scene.done().map(({ args }) => JSON.stringify(args))).size).toBe(8);
});

test("one approval for the run lets all go that wait for the same", async () => {
  await using scene = await open(undefined, { settings: one });
  await scene.coordinator.call("execute_code", threads(8));
  const [approval] = await scene.pending(8);
  if (!approval) throw new Error("nothing waits");
  await scene.decide(approval, { state: "approved", scope: "run" });
  const { structuredContent } = await scene.coordinator.call("resume_run", { run: approval.run });
  expect(structuredContent).toMatchObject({ status: "ok", stdout: "8\n" });
  expect(scene.done()).toHaveLength(8);
});

test("the next run of a session is told which run has it, and the session goes on after that", async () => {
  await using scene = await open(undefined, { settings: one });
  const session = "main";
  const first = await scene.coordinator.call("execute_code", {
    ...typescript(`const x = 20;\n${mail("a")};`),
    session,
  });
  const { run } = first.structuredContent;
  const next = await scene.coordinator.call("execute_code", { code: "x + 1", session });
  expect(next.structuredContent).toMatchObject({ error: { code: "needs_approval" } });
  expect(textOf(next)).toContain(`is held by run ${JSON.stringify(run)}`);
  const [approval] = await scene.pending(1);
  if (approval) await scene.decide(approval, { state: "approved" });
  expect((await scene.coordinator.call("resume_run", { run })).structuredContent).toMatchObject({ status: "ok" });
  const again = await scene.coordinator.call("execute_code", { code: "x + 1", session });
  expect(again.structuredContent).toMatchObject({ status: "ok", result: 21 });
});

test("another coordinator on the same data tells what a run of this one waits for, and has its result", async () => {
  await using scene = await open(undefined, { settings: one });
  await using other = await connect(scene);
  const { structuredContent } = await scene.coordinator.call("execute_code", typescript(`${mail("a")};\n"sent"`));
  const { run } = structuredContent;
  const there = await other.call("resume_run", { run });
  expect(textOf(there)).toContain("Waiting for approval of 1 call (ledger.send_mail); nothing is done yet");
  const [approval] = await scene.pending(1);
  if (approval) await scene.decide(approval, { state: "approved" });
  expect((await other.call("resume_run", { run })).structuredContent).toMatchObject({ status: "ok", result: "sent" });
  expect(scene.done()).toHaveLength(1);
});

// With APPROVAL_ASKS=10000 as often as was promised; that takes half a minute where nothing else runs.
const asks = Number(process.env["APPROVAL_ASKS"] ?? 1000);

test(`a guest that asks ${asks} times asks a person five times, with a row of the journal for each`, async () => {
  const sandbox = { limits: { toolCalls: 10_000, maxTimeoutSeconds: 600 } };
  const asked: number[] = [];
  await using scene = await open(
    ({ fields }) => {
      asked.push(fields.length);
      return { action: "decline" };
    },
    { more: { sandbox } },
  );
  const code = `let refused = 0;
for (let n = 0; n < ${asks - 1}; n++) try { await ledger.send_mail({ to: String(n) }) } catch { refused++ }
refused`;
  const { structuredContent } = await scene.coordinator.call("execute_code", { ...typescript(code), timeout: 600 });
  expect(structuredContent).toMatchObject({ status: "ok", result: asks - 1 });
  expect(asked).toEqual([1, 1, 1, 1, 1]);
  expect(scene.done()).toEqual([]);
  expect(await scene.journal(String(structuredContent["run"]))).toMatchObject({ calls: asks - 1, refused: asks - 1 });
}, 300_000);

describe("while a run waits", () => {
  test.each(["SIGTERM", "SIGKILL"] as const)("%s leaves no process, and the run as what waits", async (signal) => {
    await using scene = await open(undefined, { settings: one });
    const { structuredContent } = await scene.coordinator.call("execute_code", threads(3));
    const { run } = structuredContent;
    const { pid } = scene.coordinator;
    const before = processesUnder(pid);
    expect(before.length).toBeGreaterThan(1);
    process.kill(pid, signal);
    await expect.poll(() => before.filter(isThere), { timeout: 20_000 }).toEqual([]);
    await using later = await connect(scene);
    const { structuredContent: resumed, ...answer } = await later.call("resume_run", { run });
    expect(resumed).toMatchObject({ status: "needs_approval" });
    expect(textOf(answer).match(/ledger\.send_mail \{"to":"\d"\}: nobody has decided/g)).toHaveLength(3);
    expect(scene.done()).toEqual([]);
  });
});

test("a rule that comes or goes while the program runs brings and takes resume_run, and the client is told", async () => {
  await using scene = await open(undefined, { policy: { rules: [] } });
  const { client } = scene.coordinator;
  let changes = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => void changes++);
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  const tokens = async () => encode(JSON.stringify((await client.listTools()).tools)).length;
  const config = JSON.parse(readFileSync(scene.config, "utf8"));
  const use = (some: readonly object[]) => {
    config.coordinator.policy.rules = some;
    writeFileSync(scene.config, JSON.stringify(config));
  };
  expect(await names()).not.toContain("resume_run");
  const before = await tokens();
  use(rules);
  await expect.poll(() => changes, { timeout: 15_000 }).toBe(1);
  expect(await names()).toContain("resume_run");
  expect((await tokens()) - before).toBeLessThanOrEqual(60);
  use([]);
  await expect.poll(() => changes, { timeout: 15_000 }).toBe(2);
  expect(await names()).not.toContain("resume_run");
});

function isThere(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}

test("of a run that nobody had to wait for, resume_run has the result too", async () => {
  await using scene = await open(undefined, { policy: { rules: [] }, toolsets: "code,runs" });
  const { structuredContent } = await scene.coordinator.call("execute_code", { code: "console.log(1)\n2" });
  const resumed = await scene.coordinator.call("resume_run", { run: structuredContent["run"] });
  expect(resumed.structuredContent).toMatchObject({ status: "ok", stdout: "1\n", result: 2 });
  const unknown = await scene.coordinator.call("resume_run", { run: "r0" });
  expect(unknown.structuredContent).toMatchObject({ error: { code: "run_unknown" } });
});

test("eight runs of a client wait; one more is ended, sends nothing, and says why", async () => {
  await using scene = await open(undefined, { settings: one, more: { sandbox: { limits: { parallelRuns: 2 } } } });
  const { coordinator } = scene;
  const ends: unknown[] = [];
  for (let count = 0; count < 9; count++) {
    const answer = await coordinator.call("execute_code", typescript(mail(String(count))));
    ends.push(textOf(answer));
  }
  for (const text of ends.slice(0, 8)) expect(text).toMatch(/^needs_approval: Waiting for approval of 1 call/);
  expect(ends[8]).toMatch(/^needs_approval: The run .* was ended: 8 runs are waiting for answers already/);
  expect(scene.done()).toEqual([]);
});

describe("a client of 2026-07-28 that has been asked", () => {
  test("need not come back: the run goes on when another allows it, and its result waits", async () => {
    await using scene = await open(() => new Promise(() => {}), { modern: true });
    scene.coordinator.call("execute_code", typescript(`${mail("a")};\n"sent"`)).catch(() => {}); // it never ends
    const [approval] = await scene.pending(1);
    if (!approval) throw new Error("nothing waits");
    await scene.decide(approval, { state: "approved" });
    const resumed = await scene.coordinator.call("resume_run", { run: approval.run });
    expect(resumed.structuredContent).toMatchObject({ status: "ok", result: "sent" });
    expect(scene.done()).toHaveLength(1);
  });

  test("is told who decided when its answer comes too late, which changes nothing", async () => {
    const deciding: { scene?: Awaited<ReturnType<typeof open>> } = {};
    await using scene = await open(
      async () => {
        const [approval] = (await deciding.scene?.pending(1)) ?? [];
        if (approval) await deciding.scene?.decide(approval, { state: "rejected" });
        return { action: "accept", content: { decision: "allow once" } };
      },
      { modern: true },
    );
    deciding.scene = scene;
    const code = `try { ${mail("a")} } catch (error) { console.log(error.code) }`;
    const answered = await scene.coordinator.call("execute_code", typescript(code));
    const told =
      "Your answer to ledger.send_mail came too late and changed nothing: denied by anna on the command line";
    expect(answered.structuredContent).toMatchObject({ status: "ok", stdout: "approval_rejected\n" });
    expect(answered.structuredContent["notices"]).toEqual([expect.stringContaining(told)]);
    expect(JSON.stringify(answered.content)).toContain(told);
    expect(scene.done()).toEqual([]);
  });
});
