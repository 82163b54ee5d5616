import { CoordinatorError, messageOf } from "../../errors.ts";
import { printJson, talk } from "./print.ts";

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** Anything that was thrown, as it is told to users. */
export function failureOf(thrown: unknown): Failure {
  if (!(thrown instanceof CoordinatorError)) return { code: "internal", message: messageOf(thrown) };
  const { code, message, hint } = thrown;
  return { code, message, ...(hint !== undefined && { hint }) };
}

/** Tells of a failure and answers the exit code: 2 for wrong usage, else 1. */
export function reportFailure(thrown: unknown, { json }: { json: boolean }): number {
  const error = failureOf(thrown);
  talk(`error ${error.code}: ${error.message}`);
  if (error.hint !== undefined) talk(`  hint: ${error.hint}`);
  if (json) printJson({ error });
  return error.code === "input_invalid" ? 2 : 1;
}
