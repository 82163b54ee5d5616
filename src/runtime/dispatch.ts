import { allowed } from "../catalog/glob.ts";
import { CoordinatorError, messageOf } from "../errors.ts";
import type { Journal } from "../store/journal.ts";
import type { Caller } from "../upstream/caller.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { Upstreams } from "../upstream/upstreams.ts";
import { findTool, type Libraries } from "./libraries.ts";
import type { Observations } from "./observations.ts";
import { isSameTool, limitHint, type Reach } from "./reach.ts";
import { failureOf, type Unwrapped, unwrap } from "./unwrap.ts";

/** A tool by its exact names. */
export interface ToolName {
  readonly server: string;
  readonly tool: string;
}

interface ToolCallRequest {
  /** The run that the call belongs to; it must be open in the journal. */
  readonly run: string;
  readonly server: string;
  /** The exact name. */
  readonly tool: string;
  readonly args: Record<string, unknown>;
  /** Everything when absent. */
  readonly reach?: Reach | undefined;
  /** The client behind the call; absent where nobody can be asked. */
  readonly caller?: Caller | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a call brought: the server's own result as it came, and what a guest gets of it. */
export interface ToolAnswer extends Unwrapped {
  readonly result: unknown;
}

/**
 * The one door to the upstreams: whatever reaches a server passes here. Throws UpstreamError, which says whether the call
 * was delivered, and has the result of a tool that answered with an error. The intent is in the journal before the call
 * is sent.
 */
export type Dispatch = (request: ToolCallRequest) => Promise<ToolAnswer>;

export interface DispatchOptions {
  readonly libraries: Libraries;
  readonly upstreams: Pick<Upstreams, "call">;
  readonly journal: Journal;
  readonly observations: Pick<Observations, "learn">;
}

/** Arguments longer than this are cut in the journal; the call itself gets them whole. */
const journaledArgsLength = 10_000;

export function createDispatch({ libraries, upstreams, journal, observations }: DispatchOptions): Dispatch {
  return (request) => {
    const { run, server, tool, args, caller, signal } = request;
    return throughDoor(
      { run, server, tool, args, signal, journal },
      {
        admit: () => admit(request, libraries),
        async send() {
          const turn = caller?.id ?? run;
          const options = { caller, turn, ...(signal && { signal }) };
          const result = await upstreams.call(server, tool, args, options);
          const failure = failureOf(result);
          if (failure !== undefined) {
            throw new UpstreamError("call_failed", failure, { server, tool, delivery: "failed", result });
          }
          const unwrapping = unwrap(result, turn);
          const unwrapped = unwrapping instanceof Promise ? await unwrapping : unwrapping;
          observations.learn({ run, server, tool }, unwrapped.value);
          libraries.freshen(server);
          return { answer: { result, ...unwrapped }, bytes: unwrapped.value.length };
        },
      },
    );
  };
}

/** Something that a server is asked to do, as the journal knows it. */
interface Act extends Pick<ToolCallRequest, "run" | "server" | "tool" | "signal"> {
  readonly args: unknown;
  readonly journal: Journal;
}

interface Steps<Answer> {
  /** Throws when it may not be. */
  admit(): void | Promise<void>;
  /** `error` is that of an answer that tells of a failure and is an answer all the same. */
  send(): Promise<{ readonly answer: Answer; readonly bytes: number; readonly error?: string | undefined }>;
}

/** Admits an act, writes its intent down, does it, and writes down what became of it. */
export async function throughDoor<Answer>(act: Act, steps: Steps<Answer>): Promise<Answer> {
  const { server, tool, signal, journal } = act;
  const call = await record(act, steps);
  const started = performance.now();
  const settle = (outcome: "ok" | "failed" | "unknown" | "not_sent" | "cancelled", error?: string, bytes?: number) =>
    journal.settle(call, { outcome, error, resultBytes: bytes, milliseconds: performance.now() - started });
  try {
    const { answer, bytes, error } = await steps.send();
    settle(error === undefined ? "ok" : "failed", error, bytes);
    return answer;
  } catch (thrown) {
    const error = asUpstreamError(thrown, server, tool);
    settle(signal?.aborted && error.delivery === "unknown" ? "cancelled" : error.delivery, error.message);
    throw error;
  }
}

/** The intent of an act that may be. What fails up to here was not sent. */
async function record({ run, server, tool, args, journal }: Act, { admit }: Steps<unknown>): Promise<number> {
  try {
    await admit();
    return journal.intend({ run, server, tool, args: JSON.stringify(args).slice(0, journaledArgsLength) });
  } catch (thrown) {
    throw asUpstreamError(thrown, server, tool, "not_sent");
  }
}

async function admit({ server, tool, reach = {} }: ToolCallRequest, libraries: Libraries): Promise<void> {
  const { servers, tools, limitedBy } = reach;
  const refuse = (message: string, hint?: string): never => {
    throw new CoordinatorError("tool_denied", message, { hint: limitedBy ? limitHint(limitedBy) : hint });
  };
  libraries.server(server);
  if (servers && !servers.has(server)) refuse(`This run may not use the server "${server}"`);
  if (tools && !tools.some((known) => isSameTool(known, { server, tool }))) {
    if (limitedBy) refuse(`This run may not use "${tool}" of "${server}"`);
    refuse(
      `The skill does not declare "${tool}" of "${server}" among the tools that it uses`,
      "Declare it in the skill's tools and save the skill again, if it should use that tool.",
    );
  }
  refuseForbidden(server, tool, libraries);
  findTool(libraries.peek(server) ?? (await libraries.get(server)), tool);
}

/** Refuses a tool that the configuration does not allow. */
export function refuseForbidden(server: string, tool: string, libraries: Libraries): void {
  if (allowed(tool, libraries.server(server).tools)) return;
  throw new CoordinatorError("tool_denied", `The configuration does not allow "${tool}" of "${server}"`);
}

/** Every failure behind the door names the call it belongs to. What failed before anything was sent says so. */
function asUpstreamError(thrown: unknown, server: string, tool: string, delivery?: "not_sent"): UpstreamError {
  if (thrown instanceof UpstreamError && !delivery && thrown.tool !== undefined) return thrown;
  const known = thrown instanceof CoordinatorError ? thrown : undefined;
  return new UpstreamError(known?.code ?? "call_failed", messageOf(thrown), {
    server,
    tool,
    delivery: delivery ?? (thrown instanceof UpstreamError ? thrown.delivery : known ? "not_sent" : "unknown"),
    ...(thrown instanceof UpstreamError && {
      rpcCode: thrown.rpcCode,
      rpcMessage: thrown.rpcMessage,
      rpcData: thrown.rpcData,
      retryAfterMs: thrown.retryAfterMs,
    }),
    hint: known?.hint,
    cause: thrown,
  });
}
