import type { AskMethod, Caller } from "../actor.ts";
import { type Fields, isFields } from "../system/fields.ts";
import { waitFor } from "../system/wait-for.ts";

/** How long a client has for one answer. */
export const answerMs = 5 * 60_000;

/** The same client, given up when it takes longer for an answer. */
export function withPatience(caller: Caller, patienceMs = answerMs): Caller {
  return {
    ...caller,
    get capabilities() {
      return caller.capabilities;
    },
    async ask(method, params, options) {
      const late = new AbortController();
      const signal = AbortSignal.any([options.signal, late.signal]);
      const asked = caller.ask(method, params, { ...options, signal });
      const outcome = await waitFor(asked, patienceMs, options.signal);
      if (outcome === "cancelled") throw options.signal.reason;
      if (outcome !== "late") return outcome.value;
      const unanswered = new Error(`no answer came within ${(patienceMs / 60_000).toFixed(0)} minutes`);
      late.abort(unanswered);
      throw unanswered;
    },
  };
}

/** Whether a person may be asked; for their roots clients need nobody. */
export function isForPerson(method: AskMethod): boolean {
  return method !== "roots/list";
}

/** Whether the client has declared what the question needs. */
export function canAnswer(
  capabilities: Caller["capabilities"],
  method: AskMethod,
  params: Fields | undefined,
): boolean {
  if (method === "roots/list") return isFields(capabilities["roots"]);
  if (method === "sampling/createMessage") {
    const { sampling } = capabilities;
    const wantsTools = params?.["tools"] !== undefined || params?.["toolChoice"] !== undefined;
    return isFields(sampling) && (!wantsTools || isFields(sampling["tools"]));
  }
  const { elicitation } = capabilities;
  if (!isFields(elicitation)) return false;
  if (params?.["mode"] === "url") return isFields(elicitation["url"]);
  // Before there were two modes, the bare capability meant forms.
  return isFields(elicitation["form"]) || elicitation["url"] === undefined;
}
