import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Coordinator } from "../app/coordinator.ts";
import { operationNamed, servicesOf } from "../app/services-of.ts";
import type { AskedQuestion } from "../approvals/approval-store.ts";
import { decisionOf } from "../approvals/asker.ts";
import { questionKey, readAnswers } from "../approvals/client-asker.ts";
import type { Work } from "./client-request.ts";
import type { Params } from "./raw-server.ts";
import { answer } from "./tools.ts";

/** A client comes back with answers, and the call that asked does not wait here any more: what they decide counts all the same. */
export function resumeRun(coordinator: Coordinator, { run, approvals }: AskedQuestion, answers: Params): Work {
  const services = servicesOf(coordinator);
  return async (request) => {
    for (const [id, said] of readAnswers(answers[questionKey], approvals)) {
      const decision = decisionOf(said, { by: "the user of the client", channel: "client" });
      if (decision) await services.approvals.decide(id, decision);
    }
    if (request.method === "tools/call") {
      const params = { name: "resume_run", arguments: { run } };
      return answer(operationNamed(coordinator, "resume_run"), { ...request, params }, services);
    }
    const message = `The request waited for approval in run ${run} and is over; resume_run tells what came of it.`;
    throw new ProtocolError(ProtocolErrorCode.InternalError, message);
  };
}
