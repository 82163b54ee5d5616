import type { Hint } from "../config/rules/policy-schema.ts";
import type { Hints } from "./rule.ts";

/** What the protocol says of a tool whose definition says nothing; a tool that only reads is never destructive. */
export function filledIn(claims: Hints = {}): Readonly<Record<Hint, boolean>> {
  const readOnlyHint = claimed(claims.readOnlyHint, false);
  return {
    readOnlyHint,
    destructiveHint: !readOnlyHint && claimed(claims.destructiveHint, true),
    idempotentHint: readOnlyHint || claimed(claims.idempotentHint, false),
    openWorldHint: claimed(claims.openWorldHint, true),
  };
}

/** What a server sends that is neither true nor false claims nothing. */
function claimed(claim: unknown, otherwise: boolean): boolean {
  return typeof claim === "boolean" ? claim : otherwise;
}

/** The claims of a server that nobody trusts count where they make a tool more dangerous, and nowhere else. */
export function believed(claims: Hints | undefined, isTrusted: boolean): Readonly<Record<Hint, boolean>> {
  return filledIn(isTrusted ? claims : {});
}
