import * as z from "zod";
import { nobodysRun, perRun, type Run } from "../actor.ts";
import { canonicalHost } from "../config/allowed-host.ts";
import type { Door } from "../door/door.ts";
import { createEgress, type Egress, type EgressOptions } from "../sandbox/egress/egress.ts";
import { type AnyOperation, defineOperation } from "./operation.ts";
import type { Services } from "./services.ts";

/** What a guest's own fetch and urllib.request call; none when the user has opened no host. */
export function fetchOperations({ config, door }: Services): readonly AnyOperation[] {
  const { allow } = config.sandbox.network;
  return allow.length === 0 ? [] : fetchOperationsFor({ allow }, door);
}

export function fetchOperationsFor(options: EgressOptions, door: Pick<Door, "own">): readonly AnyOperation[] {
  createEgress(options); // says now what is wrong with the setting
  // No run waits for another's requests.
  const stateOf = perRun((): RunState => ({ egress: createEgress(options), underWay: new Map() }));
  return [fetchOperation(stateOf, door), abortOperation(stateOf)];
}

interface RunState {
  readonly egress: Egress;
  readonly underWay: Map<number, AbortController>;
}

const pairs = z.array(z.tuple([z.string(), z.string()])).max(200);
const base64 = z.string().max(14_000_000).describe("Base64.");
const requestId = z.int().describe("Any number; abort_fetch takes it.");

function fetchOperation(stateOf: (run: Run) => RunState, door: Pick<Door, "own">) {
  return defineOperation({
    name: "fetch",
    description: "Sends an HTTP request to an allowed host. The guest's own fetch and urllib.request are built on it.",
    guest: "fetch",
    example: { url: "https://example.org/" },
    input: () =>
      z.strictObject({
        url: z.string(),
        method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]).default("GET"),
        headers: pairs.default([]),
        body: base64.optional(),
        redirect: z.enum(["follow", "manual", "error"]).default("follow"),
        timeout: z.number().positive().optional().describe("Seconds, at most 30."),
        id: requestId.optional(),
      }),
    output: () =>
      z.object({
        url: z.string(),
        redirected: z.boolean(),
        status: z.int(),
        statusText: z.string(),
        headers: pairs,
        body: base64,
      }),
    async run({ body, timeout, id, ...request }, actor) {
      const { egress, underWay } = stateOf(actor.run ?? nobodysRun);
      const controller = new AbortController();
      const signal = AbortSignal.any([...(actor.signal ? [actor.signal] : []), controller.signal]);
      const bytes = body === undefined ? undefined : Buffer.from(body, "base64");
      if (id !== undefined) underWay.set(id, controller);
      try {
        const { method, url } = request;
        const pass = <Answer>(to: string, by: string, work: () => Promise<Answer>) =>
          door.own(`network:${hostOf(to)}`, { method: by, url: to }, { ...actor, signal }, work);
        const admit = (next: URL, by: string) => pass(next.href, by, async () => {});
        const sent = { ...request, body: bytes, timeoutSeconds: timeout, admit };
        const response = await pass(url, method, () => egress.fetch(sent, signal));
        return { ...response, body: response.body.toString("base64") };
      } finally {
        if (id !== undefined) underWay.delete(id);
      }
    },
  });
}

/** In its one spelling, and at whichever port. What is not an address is refused by the egress, with its reason. */
function hostOf(url: string): string {
  return URL.canParse(url) ? (canonicalHost(new URL(url).hostname) ?? "") : "";
}

function abortOperation(stateOf: (run: Run) => RunState) {
  return defineOperation({
    name: "abort_fetch",
    description: "Ends a fetch of this run that is under way",
    guest: "abort_fetch",
    example: { id: 1 },
    input: () => z.strictObject({ id: requestId }),
    output: () => z.null(),
    async run({ id }, { run = nobodysRun }) {
      stateOf(run).underWay.get(id)?.abort();
      return null;
    },
  });
}
