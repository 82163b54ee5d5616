import * as z from "zod";
import type { Approval } from "../approvals/approval.ts";
import { type Answer, answers } from "../approvals/asker.ts";
import { decisionRefusal } from "../approvals/decision-refusal.ts";
import { actName, showApproval, stateOf } from "../approvals/show-approval.ts";
import { visibleText } from "../approvals/visible-text.ts";
import { CoordinatorError } from "../errors.ts";
import { type AnyOperation, defineOperation } from "./operation.ts";
import type { Services } from "./services.ts";

/** What people are asked, for their own faces: neither a model nor a guest has any of it. */
export function approvalOperations(services: Services): readonly AnyOperation[] {
  return [listApprovals(services), showOne(services), decideApproval(services)];
}

/** An approval, and whether nobody is there any more to make its call. */
export interface ShownApproval extends Approval {
  readonly runHasEnded?: true;
}

/** With what has become of their runs. */
async function withRuns(asked: readonly Approval[], journal: Services["journal"]): Promise<readonly ShownApproval[]> {
  const over = new Map<string, boolean>();
  for (const { run } of asked) {
    if (over.has(run)) continue;
    over.set(run, !(await journal.isUnderWay(run)) && (await journal.getRun(run)) !== undefined);
  }
  return asked.map((one) => (over.get(one.run) ? { ...one, runHasEnded: true } : one));
}

function listApprovals({ approvals, journal }: Services) {
  return defineOperation({
    name: "list_approvals",
    description:
      "The calls that wait for a person's decision, the oldest first; with all also those that do not wait any more",
    input: () =>
      z.strictObject({
        run: z.string().optional(),
        all: z.boolean().default(false),
        limit: z.int().min(1).max(10_000).default(1000),
      }),
    async run({ run, all, limit }) {
      await approvals.expire(Date.now());
      const of = { run, limit: limit + 1 };
      const pending = await approvals.list({ ...of, states: ["pending"] });
      const others = all
        ? await approvals.list({ ...of, states: ["approved", "rejected", "expired", "void", "consumed"] })
        : [];
      const found = [...pending, ...others];
      return { approvals: await withRuns(found.slice(0, limit), journal), more: found.length > limit };
    },
    present: ({ approvals: found, more }) => ({
      text: [
        ...(found.length === 0 ? ["Nothing waits for a decision."] : found.map(showLine)),
        ...(more ? [`There are more than these ${found.length}: a higher limit shows them.`] : []),
      ].join("\n"),
    }),
  });
}

/** Fewer letters than these say little. */
const shortestPrefix = 4;

function showOne({ approvals, journal }: Services) {
  return defineOperation({
    name: "show_approval",
    description: "One call that a person is asked about, whole; the first letters of its id are enough",
    input: () => z.strictObject({ id: z.string().min(shortestPrefix) }),
    async run({ id }): Promise<ShownApproval> {
      await approvals.expire(Date.now());
      const [found, another] = await approvals.list({ prefix: id, limit: 2 });
      if (!found) throw unknown(id);
      if (another && found.id !== id)
        throw new CoordinatorError("input_invalid", `More than one id begins with ${JSON.stringify(id)}`, {
          hint: "Give more of it.",
        });
      const [shown = found] = await withRuns([found], journal);
      return shown;
    },
    present: (approval) => ({ text: showWithRun(approval) }),
  });
}

function decideApproval({ approvals, config }: Services) {
  return defineOperation({
    name: "decide_approval",
    description: "Write down what a person said to a call that waits for it",
    input: () =>
      z.strictObject({
        id: z.string(),
        answer: z.enum(answers).exclude(["not now"]),
        by: z.string().min(1).max(200),
        channel: z.enum(["client", "dashboard", "cli"]),
      }),
    async run({ id, answer, by, channel }): Promise<Approval> {
      const before = await approvals.get(id);
      if (!before) throw unknown(id);
      const deciding = { channel, answer, channels: config.approvals.channels };
      const refusal = decisionRefusal(before, deciding);
      if (refusal) throw refusal;
      const decided = await approvals.decide(id, { ...said[answer], by, channel });
      if (!decided) throw unknown(id);
      if (decided.isFirst) return decided.approval;
      throw decisionRefusal(decided.approval, deciding) ?? unknown(id);
    },
    present: (approval) => ({ text: `${approval.id} (${actName(approval)}): ${stateOf(approval)}` }),
  });
}

const said = {
  "allow once": { state: "approved", scope: "once" },
  "allow in this run": { state: "approved", scope: "run" },
  deny: { state: "rejected" },
} as const satisfies Record<Exclude<Answer, "not now">, unknown>;

/** As much of the arguments as a list shows. */
const briefly = 80;

/** An approval, and that its run has ended where it has. */
export function showWithRun(approval: ShownApproval): string {
  const text = showApproval(approval);
  return approval.runHasEnded ? `${text}\nIts run has ended: the call is not made, whatever is decided.` : text;
}

function showLine(approval: ShownApproval): string {
  const { id, args, run, state } = approval;
  const asked = new Date(approval.askedAt).toISOString();
  const cut = visibleText(args.slice(0, briefly));
  return `${id}  ${asked}  ${state}  ${actName(approval)} ${cut}${args.length > briefly ? "…" : ""}  run ${visibleText(run)}${approval.runHasEnded ? " (ended)" : ""}`;
}

function unknown(id: string): CoordinatorError {
  return new CoordinatorError(
    "approval_unknown",
    `No call has been held for a decision under the id ${visibleText(JSON.stringify(id))}`,
    {
      hint: "This changed nothing. `mcp-coordinator approvals list` shows the ids of those that wait.",
    },
  );
}
