import { setTimeout as delay } from "node:timers/promises";
import type { Result, ServerContext } from "@modelcontextprotocol/server";
import { expect, it, vi } from "vitest";
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
