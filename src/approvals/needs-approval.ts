import { CoordinatorError } from "../errors.ts";
import { plural } from "../system/plural.ts";
import type { Channel, NewApproval } from "./approval.ts";
import { actName } from "./show-approval.ts";

interface Waiting {
  readonly run: string;
  readonly pending: readonly NewApproval[];
  /** How many acts of the run have been done, or may have been. */
  readonly done: number;
  readonly channels: readonly Channel[];
}

/** What whoever asked for a run is told that waits for a person. */
export function waitingText({ run, pending, done, channels }: Waiting): CoordinatorError {
  const made = done === 0 ? "nothing is done yet" : `${doneText(done)} and will not be repeated`;
  const message = `Waiting for approval of ${plural(pending.length, "call")} (${namesOf(pending)}); ${made}. Nothing of what waits was sent.`;
  const hint = `${whereText(run, pending, channels)} Tell the user, then call resume_run with run ${JSON.stringify(run)} for the result: it goes on by itself when they allow it. Do not run the code again: that would be another run, and would ask again.`;
  return new CoordinatorError("needs_approval", message, { hint });
}

/** The same of a run whose process is gone. */
export function endedText({ run, pending, why }: Omit<Waiting, "done" | "channels"> & { readonly why: string }) {
  const message = `The run ${run} waited for approval of ${plural(pending.length, "call")} (${namesOf(pending)}) and was ended: ${why}. Nothing of what waited was sent; what it had done before stays done.`;
  const hint = `What is done, and what is not: resume_run, or \`mcp-coordinator runs show ${run}\`. It cannot go on: running code again is another run, does again what this one has done, and asks again.`;
  return new CoordinatorError("needs_approval", message, { hint });
}

const reasons = {
  rejected: "the user has decided against it",
  "denied before": "the user has decided against exactly that already in this run",
  "denied often": "the user has said no so often in this run that they are not asked again",
  expired: "nobody decided in time",
  void: "the question was withdrawn",
  withdrawn: "nobody waits for it any more",
  changed: "the server or the tool is not what it was when the user was asked",
  failed: "the question could not be kept",
} as const;

const codes: Partial<Record<keyof typeof reasons, "approval_expired" | "tool_changed">> = {
  expired: "approval_expired",
  void: "approval_expired",
  withdrawn: "approval_expired",
  changed: "tool_changed",
  failed: "approval_expired",
};

/** Why an act may not be that a person was asked about, or would have been. */
export function refusalOf(why: keyof typeof reasons, approval: NewApproval, more?: string) {
  const because = more === undefined ? reasons[why] : `${reasons[why]}: ${more}`;
  const message = `${actName(approval)} needed approval (${approval.reason}): ${because}`;
  const isNo = codes[why] === undefined;
  const hint = isNo ? "Nothing was sent. Do without it, or ask the user what they want instead." : "Nothing was sent.";
  return new CoordinatorError(codes[why] ?? "approval_rejected", message, { hint });
}

const mostNamed = 10;

function namesOf(pending: readonly NewApproval[]): string {
  const names = [...new Set(pending.map(actName))];
  const more = names.length > mostNamed ? `, and ${names.length - mostNamed} more` : "";
  return `${names.slice(0, mostNamed).join(", ")}${more}`;
}

function doneText(done: number): string {
  return done === 1 ? "1 call is done" : `${done} calls are done`;
}

const mostIds = 20;

function whereText(run: string, pending: readonly NewApproval[], channels: readonly Channel[]): string {
  const by = (channel: Channel) =>
    channels.includes(channel) ? pending.filter(({ approver = channel }) => approver === channel) : [];
  const [inTerminal, inClient] = [by("cli"), by("client")];
  const left = pending.filter((one) => !inTerminal.includes(one) && !inClient.includes(one));
  return [
    inTerminal.length > 0 &&
      `The user decides in a terminal: \`mcp-coordinator approvals allow ${idsOf(run, pending, inTerminal)}\`, or \`deny\`.`,
    inClient.length > 0 &&
      inTerminal.length < pending.length &&
      `The user decides ${inTerminal.length === 0 ? "" : "the others "}in the AI client: resume_run asks them there, if it can show forms.`,
    left.length > 0 &&
      `${left.length === pending.length ? "What waits" : "The rest"} is left to the dashboard, which is not there yet: until then the user can only deny it (\`mcp-coordinator approvals deny ${idsOf(run, pending, left)}\`), or change the rule or coordinator.approvals.channels.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** What the user types to name these of all that wait in the run. */
function idsOf(run: string, pending: readonly NewApproval[], these: readonly NewApproval[]): string {
  if (these.length <= mostIds) return these.map(({ id }) => id).join(" ");
  return these.length === pending.length ? `--all --run ${run}` : "<id…>";
}
