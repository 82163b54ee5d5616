import { CoordinatorError } from "../errors.ts";
import type { Approval, Channel } from "./approval.ts";
import type { Answer } from "./asker.ts";
import { actName, channelNames, stateOf } from "./show-approval.ts";

const hint = "This changed nothing.";

interface Deciding {
  readonly channel: Channel;
  readonly answer: Answer;
  /** Those that the configuration leaves open. */
  readonly channels: readonly Channel[];
  readonly now?: number;
}

/** Why an approval cannot be decided by that channel now; undefined when it can be. */
export function decisionRefusal(
  approval: Approval,
  { channel, answer, channels, now = Date.now() }: Deciding,
): CoordinatorError | undefined {
  const { id, approver, state, expiresAt } = approval;
  const what = `${id} (${actName(approval)})`;
  // Whoever is there may say no: only what loosens something has its way.
  if (answer !== "deny" && !channels.includes(channel)) {
    const message = `Nothing is allowed ${channelNames[channel]}: coordinator.approvals.channels leaves it out`;
    const ways = channels.map((one) => channelNames[one]).join(" or ");
    return new CoordinatorError("needs_approval", message, {
      hint: `${hint} It is allowed ${ways}; \`approvals deny\` refuses it here.`,
    });
  }
  if (answer !== "deny" && approver !== undefined && approver !== channel) {
    const where = channelNames[approver];
    return new CoordinatorError("needs_approval", `${what} is allowed ${where} only`, {
      hint: `${hint} Decide it there; \`approvals deny\` refuses it here.`,
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
