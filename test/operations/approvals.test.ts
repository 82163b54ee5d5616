import { expect, test } from "vitest";
import { Coordinator } from "../../src/app/coordinator.ts";
import { operationsOf } from "../../src/app/services-of.ts";
import { type Approval, createApprovalId, type NewApproval } from "../../src/approvals/approval.ts";
import { approvalOperations } from "../../src/operations/approvals.ts";
import type { Services } from "../../src/operations/services.ts";
import { createApprovalsInMemory } from "../stores/in-memory/approvals.ts";
import { createJournalInMemory } from "../stores/in-memory/journal.ts";
import { temporaryFolder } from "../stores/open-stores.ts";
import { runnerOf } from "./services.ts";

function open() {
  const approvals = createApprovalsInMemory();
  const journal = createJournalInMemory();
  const channels = ["client", "dashboard", "cli"] as const;
  const services = { approvals, journal, config: { approvals: { channels } } };
  const run = runnerOf(approvalOperations(services as unknown as Services));
  const ask = async (more: Partial<NewApproval> = {}): Promise<string> => {
    const act = { kind: "tool", server: "s", tool: "t", identity: "i", definition: "d", argsHash: "h" } as const;
    const rest = { run: "r1", args: "{}", via: "code", rule: "x", policy: "p", reason: "", approver: undefined };
    const one = {
      id: createApprovalId(),
      ...act,
      ...rest,
      askedAt: Date.now(),
      expiresAt: Date.now() + 60_000,
      ...more,
    };
    await approvals.ask([one]);
    return one.id;
  };
  const decide = (id: string, more: object = {}) =>
    run("decide_approval", { id, answer: "allow once", by: "ann", channel: "cli", ...more });
  return { approvals, run, ask, decide };
}

test("no tool of ours and no function of guests can see or take a decision", async () => {
  await using coordinator = await Coordinator.open({
    mayBeMissing: true,
    cwd: temporaryFolder(),
    env: { MCP_COORDINATOR_HOME: temporaryFolder() },
  });
  const operations = operationsOf(coordinator).filter(({ name }) => name.includes("approval"));
  expect(operations.map(({ name }) => name)).toEqual(["list_approvals", "show_approval", "decide_approval"]);
  for (const { toolset, guest } of operations) expect([toolset, guest]).toEqual([undefined, undefined]);
});

test("what waits comes first, then what does not any more, as far as the limit goes", async () => {
  const { run, ask, decide } = open();
  const denied = await ask({ askedAt: 1 });
  await decide(denied, { answer: "deny" });
  const over = await ask({ askedAt: 2, expiresAt: 3 });
  const [second, first] = [await ask({ askedAt: 5 }), await ask({ askedAt: 4, run: "r2" })];
  const list = async (input: object) => {
    const { approvals, more } = (await run("list_approvals", input)) as { approvals: Approval[]; more: boolean };
    return [...approvals.map(({ id }) => id), more];
  };
  expect(await list({})).toEqual([first, second, false]);
  expect(await list({ run: "r1" })).toEqual([second, false]);
  expect(await list({ all: true })).toEqual([first, second, denied, over, false]);
  expect(await list({ all: true, limit: 3 })).toEqual([first, second, denied, true]);
});

test("an id may be its first letters, when only one begins so", async () => {
  const { run, ask } = open();
  await ask({ id: "abcd2" });
  await ask({ id: "abcd23" });
  expect(await run("show_approval", { id: "abcd23" })).toMatchObject({ id: "abcd23" });
  expect(await run("show_approval", { id: "abcd2" })).toMatchObject({ id: "abcd2" });
  await expect(run("show_approval", { id: "abcd" })).rejects.toMatchObject({ code: "input_invalid" });
  await expect(run("show_approval", { id: "abc" })).rejects.toMatchObject({ code: "input_invalid" });
  await expect(run("show_approval", { id: "abcd3" })).rejects.toMatchObject({ code: "approval_unknown" });
});

test("a decision is for one that waits, by the channel that may, and by its whole id", async () => {
  const { approvals, ask, decide } = open();
  const id = await ask();
  await expect(decide(id.slice(0, 6))).rejects.toMatchObject({ code: "approval_unknown" });
  await expect(decide(id, { answer: "not now" })).rejects.toMatchObject({ code: "input_invalid" });
  const dashboards = await ask({ approver: "dashboard" });
  await expect(decide(dashboards)).rejects.toMatchObject({ code: "needs_approval" });
  const others = await ask({ approver: "dashboard" });
  expect(await decide(others, { answer: "deny" })).toMatchObject({ state: "rejected", channel: "cli" });
  expect(await decide(dashboards, { channel: "dashboard", answer: "allow in this run" })).toMatchObject({
    scope: "run",
  });
  const over = await ask({ expiresAt: Date.now() });
  await expect(decide(over)).rejects.toMatchObject({ code: "approval_expired" });
  const dropped = await ask();
  await approvals.void([dropped], "the tool changed");
  await expect(decide(dropped)).rejects.toThrow("the tool changed");
  expect((await approvals.get(id))?.state).toBe("pending");
});

test("of two that decide at once both are told: one that it counts, one who was first", async () => {
  const { ask, decide } = open();
  const id = await ask();
  const [first, late] = await Promise.allSettled([decide(id, { by: "ben", answer: "deny" }), decide(id)]);
  expect(first).toMatchObject({ status: "fulfilled", value: { state: "rejected", decidedBy: "ben" } });
  expect(late).toMatchObject({ status: "rejected", reason: { code: "approval_decided" } });
  expect((late as PromiseRejectedResult).reason.message).toContain("denied by ben on the command line");
});
