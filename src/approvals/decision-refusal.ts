import { CoordinatorError } from "../errors.ts";
import type { Approval, Channel } from "./approval.ts";
import { actName, channelNames, stateOf } from "./show-approval.ts";

const hint = "This changed nothing.";

/** Why an approval cannot be decided by that channel now; undefined when it can be. */
export function decisionRefusal(approval: Approval, channel: Channel, now: number): CoordinatorError | undefined {
  const { id, approver, state, expiresAt } = approval;
  const what = `${id} (${actName(approval)})`;
  if (approver !== undefined && approver !== channel) {
    const where = channelNames[approver];
    return new CoordinatorError("needs_approval", `${what} is decided ${where} only`, {
      hint: `${hint} Decide it there.`,
    });
  }
  if (state === "expired" || (state === "pending" && expiresAt <= now)) {
    return new CoordinatorError("approval_expired", `The time to decide ${what} is over. Nothing was sent`, {
      hint: `${hint} Run it again to be asked again.`,
    });
  }
  if (state === "pending") return undefined;
  return new CoordinatorError("approval_decided", `${what} is decided already: ${stateOf(approval)}`, { hint });
}
