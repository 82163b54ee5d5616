import type { Result } from "@modelcontextprotocol/server";
import type { ApprovalStore, AskedQuestion } from "../approvals/approval-store.ts";
import { decisionOf } from "../approvals/asker.ts";
import { readAnswers } from "../approvals/client-asker.ts";
import { tooLateText } from "../approvals/show-approval.ts";
import { fieldsOf, isFields } from "../system/fields.ts";
import type { Params } from "./raw-server.ts";

/** Answers about approvals of which nobody waits here any more: they decide what nobody has decided. Gives what the client is to be told. */
export async function takeLateAnswers(
  asked: AskedQuestion["approvals"],
  responses: Params,
  approvals: Pick<ApprovalStore, "decide">,
): Promise<readonly string[]> {
  const told: string[] = [];
  for (const [key, ids] of Object.entries(asked)) {
    if (!Object.hasOwn(responses, key)) continue;
    for (const [id, said] of readAnswers(responses[key], ids)) {
      const decision = decisionOf(said, { by: "the user of the client", channel: "client" });
      const decided = decision && (await approvals.decide(id, decision));
      if (decided && !decided.isFirst) told.push(tooLateText(decided.approval));
    }
  }
  return told;
}

/** The same answer, with what its reader should know too. */
export function withNotices(result: Result, told: readonly string[]): Result {
  if (told.length === 0) return result;
  const data = fieldsOf(result["structuredContent"]);
  const before = Array.isArray(data["notices"]) ? data["notices"] : [];
  const content = Array.isArray(result["content"]) ? result["content"] : [];
  return {
    ...result,
    content: [...content, { type: "text", text: told.map((text) => `[${text}]`).join("\n") }],
    ...(isFields(result["structuredContent"]) && { structuredContent: { ...data, notices: [...before, ...told] } }),
  };
}
