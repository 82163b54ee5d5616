import { setTimeout as delay } from "node:timers/promises";
import { ProtocolError } from "@modelcontextprotocol/client";
import { type Fields, fieldsOf, isFields } from "../system/fields.ts";
import { mostQuestions, type OpenCall, type Question, type Questions } from "./questions.ts";

/** A server may ask so often before it answers. */
export const mostRounds = 10;
/** A server that wants the same request again, without having asked anything, gets it after this long. */
const pacingMs = 250;
/** How long a user may take over a page that has been opened; then the call is tried again in any case. */
const pageMs = 2 * 60_000;
const urlRequired = -32042;

/** What a server of 2026-07-28 answers when it needs something first. */
export interface InputRequired {
  readonly resultType: "input_required";
  readonly inputRequests?: Readonly<Record<string, unknown>>;
  readonly requestState?: unknown;
}

export function isInputRequired(result: unknown): result is InputRequired {
  return fieldsOf(result)["resultType"] === "input_required";
}

/** What the same request is sent again with: the answers, and the server's state exactly as it came. */
export async function inputResponses(
  { inputRequests, requestState }: InputRequired,
  round: number,
  ask: (question: Question) => Promise<unknown>,
): Promise<Fields> {
  const asked = Object.entries(fieldsOf(inputRequests));
  if (asked.length > mostQuestions) throw new Error(`it asks for more than ${mostQuestions} things at once`);
  if (asked.length === 0) await delay(pacingMs * round);
  const answers = asked.map(async ([key, request]) => {
    const { method, params } = fieldsOf(request);
    return [key, await ask({ key, method: String(method), params: isFields(params) ? params : undefined })] as const;
  });
  const responses = Object.fromEntries(await Promise.all(answers));
  // Both also when there are none: those of an earlier round are not sent again.
  return { inputResponses: asked.length > 0 ? responses : undefined, requestState };
}

/**
 * A server of 2025-11-25 may refuse a request until the user has been on a page. Has the user open it, and answers
 * whether the request, which the server has not begun, may be sent again.
 */
export async function openPages(thrown: unknown, call: OpenCall, questions: Questions): Promise<boolean> {
  if (!(thrown instanceof ProtocolError) || thrown.code !== urlRequired || !call.caller) return false;
  const { elicitations: pages } = fieldsOf(thrown.data);
  if (!Array.isArray(pages) || pages.length === 0) return false;
  for (const params of pages.map(fieldsOf)) {
    const question = { method: "elicitation/create", params: { mode: "url", ...params } };
    const answer = await questions.ask(call, question).catch(() => undefined);
    if (fieldsOf(answer)["action"] !== "accept") return false;
    await call.timers.pauseDuring(questions.pageDone(String(params["elicitationId"]), pageMs, call.signal));
  }
  return !call.signal.aborted;
}
