import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createApprovalId, type NewApproval } from "../../approvals/approval.ts";
import { createRunId } from "../../door/run-id.ts";
import { openStore } from "./store.ts";

// An approval is used up in the moment in which the intent of its call is written down, or the call is not made.

async function open() {
  const folder = mkdtempSync(join(tmpdir(), "approvals-"));
  const stores = [openStore(folder), openStore(folder)] as const;
  onTestFinished(() => stores.forEach((store) => void store.close()));
  const [{ approvals, journal }, other] = stores;
  const run = createRunId();
  await journal.startRun({ id: run, language: "none", engine: "none", code: "" });
  const act = { kind: "tool" as const, server: "s", tool: "t", identity: "i", definition: "d", argsHash: "h" };
  const ask = async (more: Partial<NewApproval> = {}): Promise<string> => {
    const id = createApprovalId();
    const about = { id, run, args: "{}", via: "code", rule: "r", policy: "p", reason: "", approver: undefined };
    await approvals.ask([{ ...act, ...about, askedAt: Date.now(), expiresAt: Date.now() + 60_000, ...more }]);
    return id;
  };
  const allow = (id: string, scope: "once" | "run" = "once") =>
    approvals.decide(id, { state: "approved", scope, by: "ann", channel: "cli" });
  const use = (id: string) =>
    journal.intend({ run, server: "s", tool: "t", args: "{}", argsHash: "h", approvals: [id] });
  const calls = async () => (await journal.getRun(run))?.toolCalls.length;
  return { approvals, other, ask, allow, use, calls, run };
}

const gone = expect.objectContaining({ code: "approval_expired" });

test("one that is allowed once is used once, by whichever process", async () => {
  const { approvals, other, ask, allow, use, calls } = await open();
  const id = await ask();
  await allow(id);
  const theirs = createRunId();
  await other.journal.startRun({ id: theirs, language: "none", engine: "none", code: "" });
  use(id);
  expect(() => use(id)).toThrow(gone);
  const again = { run: theirs, server: "s", tool: "t", args: "{}", argsHash: "h", approvals: [id] };
  expect(() => other.journal.intend(again)).toThrow(gone);
  expect(await approvals.get(id)).toMatchObject({ state: "consumed", uses: 1 });
  expect(await calls()).toBe(1);
});

test("one for the run is used a hundred times", async () => {
  const { ask, allow, use, calls } = await open();
  const id = await ask();
  await allow(id, "run");
  for (let count = 0; count < 100; count++) use(id);
  expect(() => use(id)).toThrow(gone);
  expect(await calls()).toBe(100);
});

test("one that nobody has decided, that was denied, made void, or whose time is over is not used, and the call is not written down", async () => {
  const { approvals, ask, allow, use, calls } = await open();
  const pending = await ask();
  const denied = await ask();
  await approvals.decide(denied, { state: "rejected", by: "ann", channel: "cli" });
  const dropped = await ask();
  await allow(dropped);
  await approvals.void([dropped], "the tool has changed");
  // Nobody has noticed that its time is over.
  const late = await ask({ expiresAt: Date.now() + 500 });
  await allow(late);
  await expect
    .poll(async () => ((await approvals.get(late))?.expiresAt ?? 0) < Date.now(), { timeout: 5000 })
    .toBe(true);
  for (const id of [pending, denied, dropped, late, "a0"]) expect(() => use(id)).toThrow(gone);
  expect(await calls()).toBe(0);
});
