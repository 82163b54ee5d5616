import { hash } from "node:crypto";
import type { Asking } from "../door/gate.ts";
import type { JudgedAct } from "../door/judge.ts";
import { createApprovalId, type NewApproval } from "./approval.ts";
import type { DeskOptions } from "./desk-options.ts";

/** What a person is asked about an act, bound to what it is about. */
export function newApproval(
  { ask, approver, decided }: Asking,
  { act, actor, run, argsText }: JudgedAct,
  { subjectOf, settings }: Pick<DeskOptions, "subjectOf" | "settings">,
): NewApproval {
  const askedAt = Date.now();
  const { kind, server, name: tool } = act;
  return {
    ...subjectOf(act),
    ...{ id: createApprovalId(), run: run.id, kind, server, tool, args: argsText },
    argsHash: hash("sha256", argsText),
    via: actor.via ?? "library",
    rule: decided?.rule,
    policy: decided?.policy,
    reason: ask,
    approver,
    askedAt,
    expiresAt: askedAt + settings.expireHours * 3_600_000,
  };
}
