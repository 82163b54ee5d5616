import { type Approval, type NewApproval, sameAct, sameKind } from "./approval.ts";

/** A person who has said no so often in a run is not asked again in it. */
const mostDenied = 5;

/** What a person has said in a run, as far as it decides about its further acts. */
export interface AnswersSoFar {
  /** The approval for the whole run by which it may be; counts as one use of it. */
  use(wanted: NewApproval): string | undefined;
  /** Why nobody is asked about it. */
  refusal(wanted: NewApproval): "denied before" | "denied often" | undefined;
  onDenied(act: NewApproval): void;
  /** Lets what is like it pass from now on; the act that was asked about is the first of them. */
  onAllowedInRun(allowed: Approval): void;
}

export function createAnswersSoFar(): AnswersSoFar {
  const denied = new Set<string>();
  const grants = new Map<string, { readonly approval: string; left: number }>();
  let denials = 0;
  const use = (wanted: NewApproval): string | undefined => {
    const grant = grants.get(sameKind(wanted));
    if (!grant || grant.left === 0) return undefined;
    grant.left--;
    return grant.approval;
  };
  return {
    use,
    refusal(wanted) {
      if (denied.has(sameAct(wanted))) return "denied before";
      return denials >= mostDenied ? "denied often" : undefined;
    },
    onDenied(act) {
      denied.add(sameAct(act));
      denials++;
    },
    onAllowedInRun(allowed) {
      // Of several approvals for the same, the first lets the others pass: together they are worth no more than one.
      if (use(allowed) !== undefined) return;
      grants.set(sameKind(allowed), { approval: allowed.id, left: allowed.most - allowed.uses - 1 });
    },
  };
}
