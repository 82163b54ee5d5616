import { plainText } from "../catalog/plain-text.ts";
import type { NewApproval } from "./approval.ts";

/** An act as a person reads it who is to decide about it: whole, and begun by our own words. */
export function showApproval({ server, tool, reason, args, run, id }: NewApproval): string {
  const headline = `${plainText(server, 200)}.${plainText(tool, 200)} wants to run (${reason}).`;
  return [headline, plainText(args, Number.POSITIVE_INFINITY), `Run ${run}, approval ${id}.`].join("\n");
}
