import type { Hint } from "../config/policy-schema.ts";
import type { Hints } from "./rule.ts";

/** What the protocol says of a tool whose definition says nothing; a tool that only reads is never destructive. */
export function filledIn(claims: Hints = {}): Readonly<Record<Hint, boolean>> {
  const readOnlyHint = claims.readOnlyHint ?? false;
  return {
    readOnlyHint,
    destructiveHint: !readOnlyHint && (claims.destructiveHint ?? true),
    idempotentHint: readOnlyHint || (claims.idempotentHint ?? false),
    openWorldHint: claims.openWorldHint ?? true,
  };
}

/** The claims of a server that nobody trusts count where they make a tool more dangerous, and nowhere else. */
export function believed(claims: Hints | undefined, isTrusted: boolean): Readonly<Record<Hint, boolean>> {
  return filledIn(isTrusted ? claims : {});
}
