import type { Approval, NewApproval } from "./approval.ts";
import { visibleText } from "./visible-text.ts";

/** What is known of an approval beside its row. */
interface Surroundings {
  /** The line of the guest's code that wants it. */
  readonly line?: number | undefined;
}

/**
 * An approval as a person reads it before they decide, and after: whole, on lines that are all ours. What others have written
 * stands between quotes, or is a name, and has no character that is not seen.
 */
export function showApproval(approval: Approval | NewApproval, { line }: Surroundings = {}): string {
  const { run, via } = approval;
  const id = `Approval ${visibleText(approval.id)}`;
  const where = [`Run ${visibleText(run)}`, ...(line === undefined ? [] : [`line ${line}`])].join(", ");
  return [
    headline(approval),
    ...argumentLines(approval.args).map((text) => `  ${text}`),
    `${where}${via === "" ? "" : ` (by ${visibleName(via)})`}.`,
    `Asked at ${time(approval.askedAt)}, to be decided until ${time(approval.expiresAt)}${onlyBy(approval)}.`,
    "state" in approval ? `${id}: ${stateOf(approval)}` : `${id}.`,
  ].join("\n");
}

/** `gmail.send_mail`, as a name that cannot be taken for more than a name. */
export function actName({ server, tool }: Pick<Approval, "server" | "tool">): string {
  return `${visibleName(server)}.${visibleName(tool)}`;
}

/** Where an approval is, in a few words of ours, with who decided. */
export function stateOf(approval: Approval): string {
  const { state, uses, most, note } = approval;
  switch (state) {
    case "pending":
      return "nobody has decided.";
    case "approved":
      return `${decided("allowed", approval)}${most > 1 ? `, used ${uses} of ${most} times` : ", and not used so far"}.`;
    case "consumed":
      return `${decided("allowed", approval)}, and used.`;
    case "rejected":
      return `${decided("denied", approval)}.`;
    case "expired":
      return approval.decidedBy === undefined
        ? "nobody decided in time."
        : `${decided("allowed", approval)}, and not used in time.`;
    case "void":
      return `not to be decided any more${note === undefined || note === "" ? "" : `: ${visibleText(note)}`}.`;
  }
}

/** What whoever answered is told when somebody else had decided before. */
export function tooLateText(decided: Approval): string {
  return `Your answer to ${actName(decided)} came too late and changed nothing: ${stateOf(decided)}`;
}

function headline(approval: NewApproval): string {
  const reason = visibleText(approval.reason);
  return `${actName(approval)} wants to run${reason === "" ? "" : ` (${reason})`}.`;
}

/** The name of a tool may be any text, also one that reads like the rest of our sentence. */
function visibleName(name: string): string {
  return visibleText(/^[\w./:@-]{1,100}$/.test(name) ? name : JSON.stringify(name));
}

/** As much as one line has, before a value is spread over several. */
const shortLine = 100;

function argumentLines(args: string): string[] {
  const value: unknown = parsed(args);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return valueLines(value, "");
  const entries = Object.entries(value);
  if (entries.length === 0) return ["(no arguments)"];
  return entries.flatMap(([name, inner]) => valueLines(inner, `${visibleName(name)}: `));
}

/** Indented when it is long; every value whole. */
function valueLines(value: unknown, before: string): string[] {
  const short = JSON.stringify(value) ?? "null";
  const isLong = typeof value === "object" && before.length + short.length > shortLine;
  // In JSON text the only line breaks are those of its indentation.
  const lines = (isLong ? JSON.stringify(value, undefined, 2) : short).split("\n");
  return lines.map((text, index) => `${index === 0 ? before : ""}${visibleText(text)}`);
}

function parsed(args: string): unknown {
  try {
    return JSON.parse(args) as unknown;
  } catch {
    return args;
  }
}

function onlyBy({ approver }: NewApproval): string {
  return approver === undefined ? "" : `, ${channelNames[approver]} only`;
}

/** By which way it is decided, as it stands in a sentence. */
export const channelNames = {
  client: "in the AI client",
  dashboard: "in the dashboard",
  cli: "on the command line",
} as const;

function decided(verb: string, { scope, decidedBy = "", channel, decidedAt }: Approval): string {
  const how = scope === undefined ? "" : scope === "run" ? " in this run" : " once";
  const by = decidedBy === "" ? "" : ` by ${visibleText(decidedBy)}`;
  const where = channel === undefined ? "" : ` ${channelNames[channel]}`;
  return `${verb}${how}${by}${where}${decidedAt === undefined ? "" : ` at ${time(decidedAt)}`}`;
}

function time(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? "an unknown time" : `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
