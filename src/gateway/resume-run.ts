import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Coordinator } from "../app/coordinator.ts";
import { operationNamed, servicesOf } from "../app/services-of.ts";
import type { AskedQuestion } from "../approvals/approval-store.ts";
import type { Work } from "./client-request.ts";
import { takeLateAnswers, withNotices } from "./late-answers.ts";
import type { Params } from "./raw-server.ts";
import { answer } from "./tools.ts";

/** A client comes back with answers, and the call that asked does not wait here any more: what they decide counts all the same. */
export function resumeRun(coordinator: Coordinator, { run, approvals }: AskedQuestion, answers: Params): Work {
  const services = servicesOf(coordinator);
  return async (request) => {
    const told = await takeLateAnswers(approvals, answers, services.approvals);
    if (request.method === "tools/call") {
      const params = { name: "resume_run", arguments: { run } };
      const resumed = await answer(operationNamed(coordinator, "resume_run"), { ...request, params }, services);
      return withNotices(resumed, told);
    }
    const message = `The request waited for approval in run ${run} and is over; resume_run tells what came of it.`;
    throw new ProtocolError(ProtocolErrorCode.InternalError, message);
  };
}
