import type { Caller } from "../actor.ts";
import { CoordinatorError, messageOf } from "../errors.ts";
import { canAnswer } from "../upstream/caller.ts";

interface Question {
  /** What is to be done, whole: the user sees nothing else. */
  readonly message: string;
  /** The command with which the user can do the same, where there is one. */
  readonly command: string | undefined;
}

/** Asks the user, and returns when the answer is yes. Throws consent_missing when it is not, or nobody can be asked. */
export async function askConsent(
  { message, command }: Question,
  { caller, signal }: { readonly caller?: Caller | undefined; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const hint = command === undefined ? undefined : `The user can do it in a terminal: ${command}`;
  const refuse = (why: string, cause?: unknown): CoordinatorError =>
    new CoordinatorError("consent_missing", `Nothing was changed: ${why}`, { hint, cause });
  // The action itself is the answer: there is nothing to fill in.
  const form = { message, requestedSchema: { type: "object", properties: {} } };
  if (!caller || !canAnswer(caller.capabilities, "elicitation/create", form))
    throw refuse("it needs the user's consent, and this client cannot ask for it");
  let answer: unknown;
  try {
    const options = { signal: signal ?? new AbortController().signal };
    answer = await caller.ask("elicitation/create", form, options);
  } catch (thrown) {
    if (thrown instanceof CoordinatorError && thrown.code === "consent_missing") throw thrown;
    throw refuse(`the user could not be asked: ${messageOf(thrown)}`, thrown);
  }
  if ((answer as { action?: unknown } | undefined)?.action !== "accept") throw refuse("the user did not agree");
}
