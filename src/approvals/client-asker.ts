import type { Caller } from "../actor.ts";
import { fieldsOf } from "../system/fields.ts";
import { canAnswer } from "../upstream/caller.ts";
import type { NewApproval } from "./approval.ts";
import { type Answer, type Asker, answers } from "./asker.ts";
import { actName, showApproval, tooLateText } from "./show-approval.ts";

/** What the question is called where the client's answer comes with its next request. */
const questionKey = "approval";
const mostItems = 20;
const mostBytes = 4096;

/** The user of a client, by the form that the client shows; nobody where it shows none. */
export function clientAskers(caller: Caller, who: string): readonly Asker[] {
  if (!canAnswer(caller.capabilities, "elicitation/create", { mode: "form" })) return [];
  return [
    {
      channel: "client",
      who,
      canShow: (asked) => asked.length <= mostItems && Buffer.byteLength(messageOf(asked)) <= mostBytes,
      async ask(asked, signal) {
        const params = { mode: "form", message: messageOf(asked), requestedSchema: formOf(asked) };
        const ids = asked.map(({ id }) => id);
        const response = await caller.ask("elicitation/create", params, { signal, key: questionKey, approvals: ids });
        return readAnswers(response, ids);
      },
      tooLate(decided) {
        const data = tooLateText(decided);
        caller.notify?.({ method: "notifications/message", params: { level: "warning", data } });
      },
    },
  ];
}

function messageOf(asked: readonly NewApproval[]): string {
  const [only] = asked;
  if (asked.length === 1 && only) return showApproval(only);
  const parts = asked.map((approval, index) => `${fieldOf(index, asked)}: ${showApproval(approval)}`);
  return [`${asked.length} calls want to run; each is decided by itself.`, ...parts].join("\n\n");
}

/** Flat, as the protocol has forms; without a default, which would decide for who only presses a key. */
function formOf(asked: readonly NewApproval[]) {
  const fields = asked.map((approval, index) => {
    const field = { type: "string", title: actName(approval), enum: [...answers] };
    return [fieldOf(index, asked), field] as const;
  });
  return { type: "object", properties: Object.fromEntries(fields), required: fields.map(([name]) => name) };
}

function fieldOf(index: number, asked: readonly unknown[]): string {
  return asked.length === 1 ? "decision" : `call_${index + 1}`;
}

/** What was said to the approvals of these ids. Only the very words decide: clients accept empty forms by themselves. */
export function readAnswers(response: unknown, asked: readonly string[]): ReadonlyMap<string, Answer> {
  const { action, content } = fieldsOf(response);
  if (action === "decline") return new Map(asked.map((id) => [id, "deny"]));
  if (action !== "accept") return new Map();
  const given = fieldsOf(content);
  return new Map(
    asked.flatMap((id, index) => {
      const name = fieldOf(index, asked);
      const answer = Object.hasOwn(given, name) && answers.find((known) => known === given[name]);
      return answer ? [[id, answer] as const] : [];
    }),
  );
}
