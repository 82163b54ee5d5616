import { CoordinatorError } from "../errors.ts";
import type { Caller } from "../upstream/caller.ts";

interface Question {
  /** What is to be done, whole: the user sees nothing else. */
  readonly message: string;
  /** The command with which the user can do the same. */
  readonly command: string;
}

/** Asks the user, and returns when the answer is yes. Throws consent_missing when it is not, or nobody can be asked. */
export async function askConsent(
  { message, command }: Question,
  { caller, signal }: { readonly caller?: Caller | undefined; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const refuse = (why: string): CoordinatorError =>
    new CoordinatorError("consent_missing", `Nothing was changed: ${why}`, {
      hint: `The user can do it in a terminal: ${command}`,
    });
  if (!caller || !canAsk(caller)) throw refuse("it needs the user's consent, and this client cannot ask for it");
  // The action itself is the answer: there is nothing to fill in.
  const requestedSchema = { type: "object", properties: {} };
  let answer: unknown;
  try {
    const options = { signal: signal ?? new AbortController().signal };
    answer = await caller.ask("elicitation/create", { message, requestedSchema }, options);
  } catch (thrown) {
    if (thrown instanceof CoordinatorError && thrown.code === "consent_missing") throw thrown;
    throw new CoordinatorError("consent_missing", "Nothing was changed: the user could not be asked", {
      hint: `The user can do it in a terminal: ${command}`,
      cause: thrown,
    });
  }
  if ((answer as { action?: unknown } | undefined)?.action !== "accept") throw refuse("the user did not agree");
}

/** A client that can show forms says so with an empty object, or with one that has `form`. */
function canAsk({ capabilities }: Caller): boolean {
  const { elicitation } = capabilities;
  if (typeof elicitation !== "object" || elicitation === null) return false;
  return Object.keys(elicitation).length === 0 || "form" in elicitation;
}
