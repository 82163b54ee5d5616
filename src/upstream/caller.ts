import type { AskMethod, Caller } from "../actor.ts";
import { waitFor } from "../system/wait-for.ts";

type Params = Readonly<Record<string, unknown>>;

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
  params: Params | undefined,
): boolean {
  if (method === "roots/list") return isObject(capabilities["roots"]);
  if (method === "sampling/createMessage") {
    const { sampling } = capabilities;
    const wantsTools = params?.["tools"] !== undefined || params?.["toolChoice"] !== undefined;
    return isObject(sampling) && (!wantsTools || isObject(sampling["tools"]));
  }
  const { elicitation } = capabilities;
  if (!isObject(elicitation)) return false;
  if (params?.["mode"] === "url") return isObject(elicitation["url"]);
  // Before there were two modes, the bare capability meant forms.
  return isObject(elicitation["form"]) || elicitation["url"] === undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
