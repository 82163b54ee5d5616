import * as z from "zod";
import { CoordinatorError } from "../errors.ts";
import { ownerOf } from "../runtime/sessions.ts";
import { language } from "./inputs.ts";
import { defineOperation } from "./operation.ts";
import type { Services } from "./services.ts";

export function listSessions({ sessions }: Services) {
  return defineOperation({
    name: "list_sessions",
    description: "The client's sessions, which keep variables between runs",
    readOnly: true,
    input: () => z.strictObject({}),
    run: async (_input, actor) => sessions.list(ownerOf(actor)),
  });
}

export function endSession({ sessions }: Services) {
  return defineOperation({
    name: "end_session",
    description: "End a session and forget what it holds; one with a run under way ends after it",
    input: () => z.strictObject({ name: z.string(), language: language.optional().describe("both when absent") }),
    async run({ name, language: only }, actor) {
      const owner = ownerOf(actor);
      const languages = only ? [only] : language.options;
      const ended = languages.filter((each) => sessions.end({ owner, name, language: each }));
      if (ended.length > 0) return { name, ended };
      const known = sessions.list(owner).map((session) => session.name);
      throw new CoordinatorError("session_lost", `There is no session "${name}"`, {
        hint: known.length > 0 ? `Choose one of: ${known.join(", ")}.` : "There are no sessions.",
      });
    },
  });
}

/** What a guest may do: end the session that it runs in, and no other. So it names none, and none can be unknown. */
export function leaveSession({ sessions }: Services) {
  return defineOperation({
    name: "leave_session",
    description: "End this session when the run has ended, and forget what it holds",
    guest: "session.end",
    input: () => z.strictObject({}),
    async run(_input, { session }) {
      if (session) sessions.end(session);
      return { ended: session !== undefined };
    },
  });
}
