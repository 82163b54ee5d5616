import { randomBytes } from "node:crypto";
import type { ActKind } from "../door/act.ts";

/** By which way a person decides. */
export type Channel = "client" | "dashboard" | "cli";

/**
 * pending: nobody has decided. approved: it may be done, and has not been. consumed: it was used up when the intent was
 * written down. void: what it was about has changed, or nobody wants it any more.
 */
export type ApprovalState = "pending" | "approved" | "rejected" | "expired" | "void" | "consumed";

/** once: exactly these arguments, one time. run: any arguments, in this run. */
export type Scope = "once" | "run";

/** What an approval is bound to: it is worth nothing for anything else. */
interface Binding {
  readonly kind: ActKind;
  readonly server: string;
  /** The exact name of the tool, the method of the protocol, or our own act. */
  readonly tool: string;
  /** A hash of how the server is started or reached. */
  readonly identity: string;
  /** A hash of the tool's definition. */
  readonly definition: string;
  /** SHA-256 of the arguments as RFC 8785 writes them. */
  readonly argsHash: string;
}

/** One act that a person is asked about, from the question to its use. */
export interface Approval extends Binding {
  readonly id: string;
  readonly run: string;
  /** The arguments, whole: the bytes that were judged and are sent. */
  readonly args: string;
  readonly via: string;
  readonly rule: string | undefined;
  readonly policy: string | undefined;
  /** What the person is told of the rule. */
  readonly reason: string;
  /** The only channel by which it may be allowed; any when absent. */
  readonly approver: Channel | undefined;
  readonly state: ApprovalState;
  readonly scope: Scope | undefined;
  /** How often it was used, and may be. */
  readonly uses: number;
  readonly most: number;
  readonly askedAt: number;
  readonly expiresAt: number;
  readonly decidedAt: number | undefined;
  /** Who decided, in words, and by which channel. */
  readonly decidedBy: string | undefined;
  readonly channel: Channel | undefined;
  /** Why it is void. */
  readonly note: string | undefined;
}

export type NewApproval = Omit<
  Approval,
  "state" | "scope" | "uses" | "most" | "decidedAt" | "decidedBy" | "channel" | "note"
>;

/** What a person says. */
export type Decision = ({ readonly state: "approved"; readonly scope: Scope } | { readonly state: "rejected" }) & {
  readonly by: string;
  readonly channel: Channel;
};

/** The same tool, as it is defined and reached now, asked about by the same rule, for the same reason and of the same person. */
export function sameKind({ kind, server, tool, identity, definition, rule, reason, approver }: NewApproval): string {
  return JSON.stringify([kind, server, tool, identity, definition, rule, reason, approver]);
}

export function sameAct({ kind, server, tool, argsHash }: NewApproval): string {
  return JSON.stringify([kind, server, tool, argsHash]);
}

/** How many calls one approval for a run lets pass. */
export const mostOfRun = 100;

/** Without letters and digits that are taken for one another: people type them. 8 of them are 40 bits. */
const letters = "abcdefghijkmnpqrstuvwxyz23456789";

export function createApprovalId(): string {
  return `a${[...randomBytes(8)].map((byte) => letters[byte % letters.length]).join("")}`;
}
