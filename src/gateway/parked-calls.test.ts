import { setTimeout as delay } from "node:timers/promises";
import type { Result, ServerContext } from "@modelcontextprotocol/server";
import { expect, it, vi } from "vitest";
import { createApprovalsInMemory } from "../../test/stores/in-memory/approvals.ts";
import type { ApprovalStore } from "../approvals/approval-store.ts";
import { createClient } from "./client.ts";
import type { ClientRequest } from "./client-request.ts";
import { createParkedCallMemory } from "./parked-call-store.ts";
import { createParkedCalls } from "./parked-calls.ts";
import { RawServer } from "./raw-server.ts";

const server = new RawServer({ name: "test", version: "1" });

interface Retry {
  readonly state?: unknown;
  readonly inputResponses?: Record<string, unknown>;
  readonly params?: Record<string, unknown>;
  readonly client?: string;
  readonly signal?: AbortSignal;
}

/** A request of a client, as the SDK gives it to us. */
function leg({ state, inputResponses, params = { name: "t" }, client = "c", signal }: Retry = {}) {
  const context = {
    mcpReq: {
      envelope: {
        "io.modelcontextprotocol/clientInfo": { name: client, version: "1" },
        "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
      },
      inputResponses,
      requestState: () => state,
      signal: signal ?? new AbortController().signal,
      notify: async () => {},
    },
  } as unknown as ServerContext;
  return { method: "tools/call", params, client: createClient(server, { id: "c" }), context };
}

const never = new AbortController().signal;
const question = { mode: "form", message: "?" };
let runs = 0;

/** Asks once, and answers with the answer. */
const asking = async ({ caller }: ClientRequest): Promise<Result> => {
  runs++;
  return { answer: await caller.ask("elicitation/create", question, { signal: never }) };
};
const stateOf = (result: Result) => result["requestState"] as string;
const unknown = { code: -32602, message: expect.stringContaining("The requestState is unknown") };

it("ends the request with the question, and goes on with the answer", async () => {
  const parked = createParkedCalls({ store: createParkedCallMemory() });
  runs = 0;
  const first = await parked.serve(leg(), asking);
  expect(first).toEqual({
    resultType: "input_required",
    inputRequests: { elicitation: { method: "elicitation/create", params: question } },
    requestState: expect.stringMatching(/^[\w-]{43}$/),
  });
  const inputResponses = { elicitation: { action: "accept" } };
  const second = await parked.serve(leg({ state: stateOf(first), inputResponses }), asking);
  expect(second).toEqual({ answer: { action: "accept" } });
  expect(runs).toBe(1);
});

it("takes a state once, and only with the request that it was given for", async () => {
  const parked = createParkedCalls({ store: createParkedCallMemory() });
  runs = 0;
  const state = stateOf(await parked.serve(leg({ params: { name: "t", arguments: { a: 1, b: 2 } } }), asking));
  const inputResponses = { elicitation: { action: "accept" } };
  const retry = { state, inputResponses, params: { arguments: { b: 2, a: 1 }, name: "t" } };
  const wrong: Retry[] = [
    { ...retry, state: `${state}x` },
    { ...retry, state: 1 },
    { ...retry, client: "another" },
    { ...retry, params: { name: "t", arguments: { a: 1 } } },
    { ...retry, params: { name: "other", arguments: { a: 1, b: 2 } } },
  ];
  for (const request of wrong) await expect(parked.serve(leg(request), asking)).rejects.toMatchObject(unknown);
  expect(await parked.serve(leg(retry), asking)).toEqual({ answer: { action: "accept" } });
  await expect(parked.serve(leg(retry), asking)).rejects.toMatchObject(unknown);
  expect(runs).toBe(1);
});

it("asks again for what was not answered, and takes together what belongs together", async () => {
  const parked = createParkedCalls({ store: createParkedCallMemory() });
  const askTwice = async ({ caller }: ClientRequest): Promise<Result> => {
    const ask = (key: string) => caller.ask("elicitation/create", question, { signal: never, key });
    return { answers: await Promise.all([ask("one"), ask("two")]) };
  };
  const first = await parked.serve(leg(), askTwice);
  expect(Object.keys(first["inputRequests"] as object)).toEqual(["one", "two"]);
  const second = await parked.serve(
    leg({ state: stateOf(first), inputResponses: { two: { n: 2 }, three: {} } }),
    askTwice,
  );
  expect(Object.keys(second["inputRequests"] as object)).toEqual(["one"]);
  const third = await parked.serve(leg({ state: stateOf(second), inputResponses: { one: { n: 1 } } }), askTwice);
  expect(third).toEqual({ answers: [{ n: 1 }, { n: 2 }] });
});

it("keeps no answer that nobody has asked for: it is asked for when it is wanted", async () => {
  const parked = createParkedCalls({ store: createParkedCallMemory() });
  const askInTurn = async ({ caller }: ClientRequest): Promise<Result> => {
    const ask = (key: string) => caller.ask("elicitation/create", question, { signal: never, key });
    return { answers: [await ask("one"), await ask("two")] };
  };
  const early = { two: { n: "early" }, __proto__: { n: 0 } };
  const first = await parked.serve(leg({ inputResponses: early }), askInTurn);
  const second = await parked.serve(
    leg({ state: stateOf(first), inputResponses: { one: { n: 1 }, ...early } }),
    askInTurn,
  );
  expect(Object.keys(second["inputRequests"] as object)).toEqual(["two"]);
  const third = await parked.serve(leg({ state: stateOf(second), inputResponses: { two: { n: 2 } } }), askInTurn);
  expect(third).toEqual({ answers: [{ n: 1 }, { n: 2 }] });
});

it("gives up a call that nobody comes back for", async () => {
  const parked = createParkedCalls({ store: createParkedCallMemory(), patienceMs: 30 });
  const ended: unknown[] = [];
  const work = async (request: ClientRequest): Promise<Result> => {
    request.signal.addEventListener("abort", () => ended.push("signal"));
    return asking(request).catch((thrown) => {
      ended.push(thrown.message);
      throw thrown;
    });
  };
  const state = stateOf(await parked.serve(leg(), work));
  await delay(80);
  expect(ended).toEqual(["signal", "The client left without an answer"]);
  await expect(parked.serve(leg({ state }), work)).rejects.toMatchObject(unknown);
});

it("gives up all that wait when it is closed, and knows how many that are", async () => {
  const parked = createParkedCalls({ store: createParkedCallMemory() });
  const ended: string[] = [];
  const work = (request: ClientRequest): Promise<Result> =>
    asking(request).catch((thrown) => {
      ended.push(thrown.message);
      throw thrown;
    });
  const state = stateOf(await parked.serve(leg(), work));
  await parked.serve(leg(), work);
  expect(await parked.size()).toBe(2);
  await parked.close();
  expect(await parked.size()).toBe(0);
  await vi.waitFor(() => expect(ended).toEqual(Array(2).fill("The client left without an answer")));
  await expect(parked.serve(leg({ state }), work)).rejects.toMatchObject(unknown);
});

it("ends a call whose client goes while it is taken up again", async () => {
  const client = new AbortController();
  const memory = createParkedCallMemory();
  const slow = {
    ...memory,
    async take(state: string, fingerprint: string) {
      client.abort();
      return memory.take(state, fingerprint);
    },
  };
  const parked = createParkedCalls({ store: slow });
  const work = async (request: ClientRequest): Promise<Result> => {
    await asking(request);
    request.signal.throwIfAborted();
    return {};
  };
  const state = stateOf(await parked.serve(leg(), work));
  const back = leg({ state, signal: client.signal, inputResponses: { elicitation: {} } });
  await expect(parked.serve(back, work)).rejects.toThrow("aborted");
});

it("ends a call whose client goes while it is served", async () => {
  const parked = createParkedCalls({ store: createParkedCallMemory() });
  const client = new AbortController();
  let isOver = false;
  const work = ({ signal }: ClientRequest): Promise<Result> =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        isOver = true;
        reject(new Error("over"));
      });
    });
  const serving = parked.serve(leg({ signal: client.signal }), work);
  client.abort();
  await expect(serving).rejects.toThrow("over");
  expect(isOver).toBe(true);
});

it("keeps so many and no more: what is asked then is refused", async () => {
  const parked = createParkedCalls({ store: createParkedCallMemory({ most: 2 }) });
  await parked.serve(leg(), asking);
  await parked.serve(leg(), asking);
  await expect(parked.serve(leg(), asking)).rejects.toThrow("2 calls already wait for answers from their clients");
});

it.each([
  ["the request has sent", leg({ params: { name: "t", filling: "x".repeat(600) } }), {}],
  ["the newest request has brought", leg(), { unasked: "x".repeat(1200) }],
])("keeps no more of what %s than fits", async (_what, first, inputResponses) => {
  const parked = createParkedCalls({ store: createParkedCallMemory({ mostCharacters: 2000 }) });
  const again = { ...(first.params["filling"] !== undefined && { params: first.params }), inputResponses };
  const parkOne = async () =>
    parked.serve(leg({ ...again, state: stateOf(await parked.serve(first, asking)) }), asking);
  const refused = expect.objectContaining({ message: expect.stringContaining("1 calls already wait for answers") });
  const { requestState } = await parkOne();
  await expect(parkOne()).rejects.toEqual(refused);
  const answer = leg({ ...again, state: requestState, inputResponses: { elicitation: {} } });
  expect(await parked.serve(answer, asking)).toEqual({ answer: {} });
  await parkOne();
});

/** Asks about approvals, and about others when that question is taken back. */
function askingTwice(store: ApprovalStore, ids: readonly [string, string]) {
  const taken = new AbortController();
  const work = async ({ caller }: ClientRequest): Promise<Result> => {
    const first = caller.ask("elicitation/create", question, {
      signal: taken.signal,
      key: "approval",
      approvals: [ids[0]],
    });
    await first.catch(() => {});
    const options = { signal: never, key: "approval", approvals: [ids[1]] };
    return { structuredContent: { answer: await caller.ask("elicitation/create", question, options) } };
  };
  const parked = createParkedCalls({ store: createParkedCallMemory(), questions: store });
  return { parked, work, taken };
}

const allow = { action: "accept", content: { decision: "allow once" } };
const kept = (id: string) => ({
  ...{ id, run: "r", kind: "tool" as const, server: "s", tool: "t", identity: "i", definition: "d", argsHash: "h" },
  ...{ args: "{}", via: "code", rule: "r", policy: "p", reason: "", approver: undefined },
  ...{ askedAt: Date.now(), expiresAt: Date.now() + 60_000 },
});

it("lets no answer count for another question than the one that was asked", async () => {
  const store = createApprovalsInMemory();
  await store.ask([kept("a1"), kept("a2")]);
  const { parked, work, taken } = askingTwice(store, ["a1", "a2"]);
  const first = await parked.serve(leg(), work);
  // Somebody else decides, and the run asks the next question before the client has come back.
  await store.decide("a1", { state: "rejected", by: "anna", channel: "cli" });
  taken.abort();
  await delay(0);
  const second = await parked.serve(leg({ state: stateOf(first), inputResponses: { approval: allow } }), work);
  expect(second).toMatchObject({ resultType: "input_required", inputRequests: { approval_2: expect.anything() } });
  expect(await store.get("a2")).toMatchObject({ state: "pending" });
  const inputResponses = { approval_2: allow };
  const third = await parked.serve(leg({ state: stateOf(second), inputResponses }), work);
  expect(third["structuredContent"]).toEqual({
    answer: allow,
    notices: [expect.stringMatching(/^Your answer to s\.t came too late and changed nothing: denied by anna on the/)],
  });
});

it("takes the answer to a question that nobody waits for any more, while it is not decided", async () => {
  const store = createApprovalsInMemory();
  await store.ask([kept("a1"), kept("a2")]);
  const { parked, work, taken } = askingTwice(store, ["a1", "a2"]);
  const first = await parked.serve(leg(), work);
  taken.abort();
  await delay(0);
  await parked.serve(leg({ state: stateOf(first), inputResponses: { approval: allow } }), work);
  expect(await store.get("a1")).toMatchObject({ state: "approved", channel: "client" });
});

it("leaves a call alone that a person is to decide, when its client does not come back", async () => {
  const store = createApprovalsInMemory();
  await store.ask([kept("a1")]);
  const ended = vi.fn();
  const work = async ({ caller, signal }: ClientRequest): Promise<Result> => {
    signal.addEventListener("abort", ended);
    await caller.ask("elicitation/create", question, { signal: never, approvals: ["a1"] }).catch(() => {});
    return {};
  };
  const parked = createParkedCalls({ store: createParkedCallMemory(), questions: store, patienceMs: 1 });
  await parked.serve(leg(), work);
  await expect.poll(() => parked.size()).toBe(0);
  expect(ended).not.toHaveBeenCalled();
});
