import * as z from "zod";
import { createEgress, type Egress, type EgressOptions } from "../sandbox/egress/egress.ts";
import { type AnyOperation, defineOperation } from "./operation.ts";
import type { Services } from "./services.ts";

/** What a guest's own fetch and urllib.request call; none when the user has opened no host. */
export function fetchOperations({ config }: Services): readonly AnyOperation[] {
  const { allow } = config.sandbox.network;
  return allow.length === 0 ? [] : fetchOperationsFor({ allow });
}

export function fetchOperationsFor(options: EgressOptions): readonly AnyOperation[] {
  createEgress(options); // says now what is wrong with the setting
  const states = new WeakMap<AbortSignal, RunState>();
  // By its signal, which every request of a run shares and no other run does: no run waits for another's requests.
  const stateOf = (signal: AbortSignal): RunState => {
    const state = states.get(signal) ?? { egress: createEgress(options), underWay: new Map() };
    states.set(signal, state);
    return state;
  };
  return [fetchOperation(stateOf), abortOperation(stateOf)];
}

interface RunState {
  readonly egress: Egress;
  readonly underWay: Map<number, AbortController>;
}

const anyone = new AbortController().signal;
const pairs = z.array(z.tuple([z.string(), z.string()])).max(200);
const base64 = z.string().max(14_000_000).describe("Base64.");
const requestId = z.int().describe("Any number; abort_fetch takes it.");

function fetchOperation(stateOf: (signal: AbortSignal) => RunState) {
  return defineOperation({
    name: "fetch",
    description: "Sends an HTTP request to an allowed host. The guest's own fetch and urllib.request are built on it.",
    guest: "fetch",
    readOnly: false,
    input: z.strictObject({
      url: z.string(),
      method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]).default("GET"),
      headers: pairs.default([]),
      body: base64.optional(),
      redirect: z.enum(["follow", "manual", "error"]).default("follow"),
      timeout: z.number().positive().optional().describe("Seconds, at most 30."),
      id: requestId.optional(),
    }),
    output: z.object({
      url: z.string(),
      redirected: z.boolean(),
      status: z.int(),
      statusText: z.string(),
      headers: pairs,
      body: base64,
    }),
    async run({ body, timeout, id, ...request }, { signal = anyone }) {
      const { egress, underWay } = stateOf(signal);
      const controller = new AbortController();
      if (id !== undefined) underWay.set(id, controller);
      try {
        const response = await egress.fetch(
          { ...request, body: body === undefined ? undefined : Buffer.from(body, "base64"), timeoutSeconds: timeout },
          AbortSignal.any([signal, controller.signal]),
        );
        return { ...response, body: response.body.toString("base64") };
      } finally {
        if (id !== undefined) underWay.delete(id);
      }
    },
    show: ({ status, statusText }) => `${status} ${statusText}`,
  });
}

function abortOperation(stateOf: (signal: AbortSignal) => RunState) {
  return defineOperation({
    name: "abort_fetch",
    description: "Ends a fetch of this run that is under way",
    guest: "abort_fetch",
    readOnly: false,
    input: z.strictObject({ id: requestId }),
    output: z.null(),
    async run({ id }, { signal = anyone }) {
      stateOf(signal).underWay.get(id)?.abort();
      return null;
    },
    show: () => "",
  });
}
