import { expect, test } from "vitest";
import { type ClientIdentity, local } from "../actor.ts";
import type { Sessions } from "../runtime/sessions.ts";
import { runOperation } from "./operation.ts";
import type { Services } from "./services.ts";
import { endSession, leaveSession, listSessions } from "./sessions.ts";

type SessionKey = Parameters<Sessions["end"]>[0];

const ada = { id: "ada", capabilities: {}, ask: async () => undefined };
const bob = { ...ada, id: "bob" };

function servicesWith(...keys: SessionKey[]): Services {
  const kept = new Set(keys);
  const of = (owner: ClientIdentity) => [...kept].filter((key) => key.owner.id === owner.id);
  const sessions: Pick<Sessions, "list" | "end"> = {
    list: (owner) => of(owner).map(({ name, language }) => ({ name, language })),
    end: ({ owner, name, language }) =>
      of(owner).some((key) => key.name === name && key.language === language && kept.delete(key)),
  };
  return { sessions } as Services;
}

const key = (owner: ClientIdentity, name: string, language: "typescript" | "python" = "typescript"): SessionKey => {
  return { owner: { ...local, ...owner }, name, language };
};

test("a client sees its own sessions", async () => {
  const services = servicesWith(key(ada, "one"), key(bob, "two"));
  expect(await runOperation(listSessions(services), {}, { caller: ada })).toEqual([
    { name: "one", language: "typescript" },
  ]);
});

test("a name without a language ends the sessions of both, and no other client's", async () => {
  const services = servicesWith(key(ada, "one"), key(ada, "one", "python"), key(bob, "one"));
  const end = (args: object, caller = ada) => runOperation(endSession(services), args, { caller });
  expect(await end({ name: "one" })).toEqual({ name: "one", ended: ["typescript", "python"] });
  await expect(end({ name: "one" })).rejects.toMatchObject({ code: "session_lost", hint: "There are no sessions." });
  await expect(end({ name: "on" }, bob)).rejects.toMatchObject({ hint: "Choose one of: one." });
  await expect(end({ name: "one", language: "python" }, bob)).rejects.toMatchObject({ code: "session_lost" });
});

test("a guest ends the session that it runs in", async () => {
  const session = key(ada, "one");
  const services = servicesWith(session, key(ada, "two"));
  expect(await runOperation(leaveSession(services), {}, { session })).toEqual({ ended: true });
  expect(await runOperation(leaveSession(services), {})).toEqual({ ended: false });
  expect(services.sessions.list({ ...local, ...ada })).toEqual([{ name: "two", language: "typescript" }]);
});
