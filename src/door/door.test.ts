import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { type Actor, local } from "../actor.ts";
import { CoordinatorError } from "../errors.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import { requestOf, toolCall } from "./act.ts";
import { createDoor, type DoorOptions, rawResult } from "./door.ts";
import type { Gate } from "./gate.ts";
import type { Approve } from "./judge.ts";

/** A door whose upstreams, journal and runs are lists. */
function open(options: Partial<DoorOptions> = {}) {
  const events: string[] = [];
  const send = async (...sent: unknown[]): Promise<unknown> => {
    events.push(`sent ${JSON.stringify(sent.slice(0, 3))}`);
    return { content: [] };
  };
  const door = createDoor({
    upstreams: {
      to: (server) => ({
        call: (tool, args) => send(server, tool, args),
        request: ({ method, params }) => send(server, method, params),
        list: async () => {
          await send(server, "tools/list");
          return { tools: [], info: {} } as never;
        },
        listAll: async (name) => {
          await send(server, name);
          return { items: [] };
        },
      }),
    },
    gates: [],
    recorders: [
      {
        intend({ run, server, name, argsText }) {
          events.push(`intended in ${run.id.slice(0, 3)}: ${server} ${name} ${argsText}`);
          return ({ outcome, error }) => events.push(`${outcome}${error === undefined ? "" : `: ${error}`}`);
        },
      },
    ],
    runs: {
      startRun: async ({ client }) => void events.push(`run of ${client}`),
      finishRun: async (_id, { status }) => void events.push(`run ${status}`),
    },
    ...options,
  });
  return { door, events };
}

const inRun: Actor = { ...local, run: { id: "r1", language: "typescript" } };
const denying = (reason: string): Gate => ({
  name: "denying",
  judge: () => ({ deny: new CoordinatorError("tool_denied", reason) }),
});

const no = () => new CoordinatorError("approval_rejected", "The user said no");
const answering = (answer: Awaited<ReturnType<ReturnType<Approve>["next"]>>): Approve => {
  return () => ({ next: async () => answer, drop: async () => {} });
};

test("the intent is written down before it is sent, the outcome after", async () => {
  const { door, events } = open();
  await door.pass(toolCall("files", "read", { path: "a", at: 1 }), inRun, rawResult);
  expect(events).toEqual([
    'intended in r1: files read {"at":1,"path":"a"}',
    'sent ["files","read",{"path":"a","at":1}]',
    "ok",
  ]);
});

test("what is not a part of a run is a run of its own", async () => {
  const { door, events } = open();
  const act = requestOf("files", "resources/read", { uri: "file:///a" });
  await door.pass(act, { ...local, client: "desk" }, rawResult);
  expect(events.map((event) => event.split(" ").slice(0, 2).join(" "))).toEqual([
    "run of",
    "intended in",
    'sent ["files","resources/read",{"uri":"file:///a"}]',
    "ok",
    "run ok",
  ]);
});

test("a refused act is not sent and leaves its reason", async () => {
  const { door, events } = open({ gates: [denying("not today"), denying("nor tomorrow")] });
  const passing = door.pass(toolCall("mail", "send", {}), inRun, rawResult);
  await expect(passing).rejects.toMatchObject({ code: "tool_denied", message: "not today", delivery: "not_sent" });
  expect(events).toEqual(["intended in r1: mail send {}", "refused: not today"]);
});

test("a gate that throws, or rejects, denies", async () => {
  for (const judge of [
    () => {
      throw new Error("broken");
    },
    () => Promise.reject(new Error("broken")),
  ]) {
    const { door, events } = open({ gates: [{ name: "broken", judge }] });
    await expect(door.pass(toolCall("mail", "send", {}), inRun, rawResult)).rejects.toBeInstanceOf(UpstreamError);
    expect(events.at(-1)).toBe("refused: It could not be judged, and was not sent");
  }
});

test("every gate is asked in turn, and one may take its time", async () => {
  const asked: string[] = [];
  const gates: Gate[] = [
    { name: "first", judge: () => void asked.push("first") },
    { name: "second", judge: async () => void asked.push("second") },
    { name: "third", judge: () => void asked.push("third") },
  ];
  const { door } = open({ gates });
  await door.pass(toolCall("files", "read", {}), inRun, rawResult);
  expect(asked).toEqual(["first", "second", "third"]);
});

test("a person decides where a gate asks; without anybody to ask it is refused", async () => {
  const gates: Gate[] = [{ name: "asking", judge: () => ({ ask: "May mail be sent?" }) }, denying("but not this")];
  const alone = open({ gates: gates.slice(0, 1) });
  await expect(alone.door.pass(toolCall("mail", "send", {}), inRun, rawResult)).rejects.toThrow("Nobody can be asked");
  const asked = open({ gates: gates.slice(0, 1), approve: answering({ approval: "a1" }) });
  await asked.door.pass(toolCall("mail", "send", {}), inRun, rawResult);
  expect(asked.events.at(-1)).toBe("ok");
  const denied = open({ gates: gates.slice(0, 1), approve: answering({ refusal: no() }) });
  await expect(denied.door.pass(toolCall("mail", "send", {}), inRun, rawResult)).rejects.toThrow("The user said no");
});

test("nobody is asked about what another gate refuses, and what is refused meanwhile is not done", async () => {
  const ask: Gate = { name: "asking", judge: () => ({ ask: "May mail be sent?" }) };
  const nobody: Approve = () => {
    throw new Error("somebody was asked");
  };
  const refused = open({ gates: [ask, denying("but not this")], approve: nobody });
  await expect(refused.door.pass(toolCall("mail", "send", {}), inRun, rawResult)).rejects.toThrow("but not this");
  let isShut = false;
  const dropped: unknown[] = [];
  const tightening: Gate = {
    name: "late",
    judge: (...given) => (isShut ? denying("shut").judge(...given) : undefined),
  };
  const meanwhile = open({
    gates: [ask, tightening],
    approve: () => ({
      async next() {
        isShut = true;
        return { approval: "a1" };
      },
      drop: async (refusal) => void dropped.push(refusal?.message),
    }),
  });
  await expect(meanwhile.door.pass(toolCall("mail", "send", {}), inRun, rawResult)).rejects.toThrow("shut");
  expect(dropped).toEqual(["shut"]);
  expect(meanwhile.events.at(-1)).toBe("refused: shut");
});

test("a list outside of a run leaves no row, unless it is refused", async () => {
  const quiet = open();
  await quiet.door.list("files", "resources", local);
  await quiet.door.listTools("files", local);
  expect(quiet.events.filter((event) => !event.startsWith("sent"))).toEqual([]);
  const shut = open({ gates: [denying("closed")] });
  await expect(shut.door.listTools("files", local)).rejects.toThrow("closed");
  expect(shut.events).toEqual([
    "run of undefined",
    expect.stringContaining("files tools/list"),
    "refused: closed",
    "run error",
  ]);
});

test("a person is asked once about a list that is then refused", async () => {
  let asked = 0;
  const approve: Approve = (...question) => {
    asked++;
    return answering({ refusal: no() })(...question);
  };
  const { door, events } = open({ gates: [{ name: "asking", judge: () => ({ ask: "May it be listed?" }) }], approve });
  await expect(door.listTools("files", local)).rejects.toThrow("The user said no");
  expect(asked).toBe(1);
  expect(events).toContain("refused: The user said no");
});

test("an act of ours passes the same gates, and what it throws is thrown as it is", async () => {
  const shut = open({ gates: [denying("closed")] });
  const refused = shut.door.own("packages.install", { packages: ["x"] }, inRun, async () => "installed");
  await expect(refused).rejects.toBeInstanceOf(CoordinatorError);
  await expect(refused).rejects.not.toBeInstanceOf(UpstreamError);
  expect(shut.events).toEqual(['intended in r1: coordinator packages.install {"packages":["x"]}', "refused: closed"]);
  const failing = open();
  const thrown = new Error("no such package");
  await expect(failing.door.own("packages.install", {}, inRun, () => Promise.reject(thrown))).rejects.toBe(thrown);
  expect(failing.events.at(-1)).toBe("failed: no such package");
});

test("an intent that cannot be written down keeps the act from being sent", async () => {
  const recorders = [
    {
      intend: () => {
        throw new CoordinatorError("storage_full", "The disk is full");
      },
    },
  ];
  const { door, events } = open({ recorders });
  const passing = door.pass(toolCall("mail", "send", {}), inRun, rawResult);
  await expect(passing).rejects.toMatchObject({ code: "storage_full", delivery: "not_sent" });
  expect(events).toEqual([]);
});

test("what was judged, hashed and kept is the value that is sent", async () => {
  let hash = "";
  const recorders = [
    {
      intend({ argsHash }: { argsHash: string }) {
        hash = argsHash;
        return () => {};
      },
    },
  ];
  const { door, events } = open({ recorders });
  await door.pass(toolCall("s", "t", { b: -0, a: 1 }), inRun, rawResult);
  expect(hash).toBe(createHash("sha256").update('{"a":1,"b":0}').digest("hex"));
  const sent = JSON.parse(events[0]?.slice(5) ?? "")[2];
  expect(sent).toEqual({ a: 1, b: 0 });
  await expect(door.pass(toolCall("s", "t", { n: JSON.parse("1e400") }), inRun, rawResult)).rejects.toMatchObject({
    code: "input_invalid",
    delivery: "not_sent",
  });
});
