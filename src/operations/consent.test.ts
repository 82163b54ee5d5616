import { expect, test } from "vitest";
import type { Caller } from "../actor.ts";
import { CoordinatorError } from "../errors.ts";
import { askConsent } from "./consent.ts";

const question = { message: "Add it?", command: "mcp-coordinator add it" };
const asked: unknown[] = [];
const caller = (answer: () => unknown, capabilities: object = { elicitation: {} }): Caller => ({
  id: "client",
  capabilities: { ...capabilities },
  async ask(method, params) {
    asked.push([method, params?.["message"]]);
    return answer();
  },
});

test("only what the user accepts passes, and the question is the whole of it", async () => {
  await askConsent(question, { caller: caller(() => ({ action: "accept" })) });
  expect(asked).toEqual([["elicitation/create", "Add it?"]]);
  for (const answer of [{ action: "decline" }, { action: "cancel" }, { accept: true }, undefined, "accept"]) {
    await expect(askConsent(question, { caller: caller(() => answer) })).rejects.toMatchObject({
      code: "consent_missing",
      message: "Nothing was changed: the user did not agree",
      hint: "The user can do it in a terminal: mcp-coordinator add it",
    });
  }
});

test("where nobody can be asked it is refused, with the command if there is one", async () => {
  const refused = { code: "consent_missing", message: expect.stringContaining("this client cannot ask for it") };
  await expect(askConsent(question, {})).rejects.toMatchObject(refused);
  const mute = { caller: caller(() => ({ action: "accept" }), {}) };
  await expect(askConsent({ ...question, command: undefined }, mute)).rejects.toMatchObject({
    ...refused,
    hint: undefined,
  });
});

test("a question that failed is not consent; one that was refused keeps its reason", async () => {
  const fail = (thrown: Error) => ({
    caller: caller(() => {
      throw thrown;
    }),
  });
  await expect(askConsent(question, fail(new Error("gone")))).rejects.toThrow("the user could not be asked: gone");
  const own = new CoordinatorError("consent_missing", "There is no terminal");
  await expect(askConsent(question, fail(own))).rejects.toBe(own);
});
