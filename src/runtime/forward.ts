import type { Journal } from "../store/journal.ts";
import type { Caller } from "../upstream/caller.ts";
import type { Upstreams } from "../upstream/upstreams.ts";
import { asUpstreamError, journaledArgsLength, refuseForbidden } from "./dispatch.ts";
import type { Libraries } from "./libraries.ts";
import { createRunId } from "./run-id.ts";
import { failureOf } from "./unwrap.ts";

interface ForwardRequest {
  readonly server: string;
  readonly method: string;
  readonly params: Record<string, unknown>;
  /** Who asked, for the journal. */
  readonly client: string | undefined;
  readonly caller?: Caller | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: object) => void) | undefined;
}

/**
 * The door for a client's own request to an upstream, handed on as it is and answered as it is. A tool must be allowed;
 * what makes the server act or read is in the journal as a run of its own, before it is sent.
 */
export type Forward = (request: ForwardRequest) => Promise<unknown>;

export interface ForwardOptions {
  readonly libraries: Libraries;
  readonly upstreams: Pick<Upstreams, "request">;
  readonly journal: Journal;
}

const journaled = new Set(["tools/call", "resources/read", "prompts/get"]);

export function createForward({ libraries, upstreams, journal }: ForwardOptions): Forward {
  const send = (request: ForwardRequest): Promise<unknown> => {
    const { server, method, params, caller, signal, onProgress } = request;
    const tool = toolOf(request);
    const about = tool === undefined ? { what: `get the answer to ${method}` } : { tool };
    const options = { caller, ...(signal && { signal }), ...(onProgress && { onProgress }) };
    return upstreams.request(server, { method, params, ...about }, options);
  };
  return async (request) => {
    const { server, method, params, client } = request;
    const subject = toolOf(request) ?? method;
    if (!journaled.has(method)) return send(request);
    const run = createRunId();
    journal.startRun({ id: run, language: "none", engine: "none", code: "", client });
    let error: string | undefined;
    let resultBytes = 0;
    try {
      if (method === "tools/call") refuseForbidden(server, subject, libraries);
      const args = JSON.stringify(params["arguments"] ?? params["uri"] ?? params["name"] ?? {});
      const call = journal.intend({ run, server, tool: subject, args: args.slice(0, journaledArgsLength) });
      const started = performance.now();
      const settle = (outcome: "ok" | "failed" | "unknown" | "not_sent" | "cancelled") =>
        journal.settle(call, { outcome, error, resultBytes, milliseconds: performance.now() - started });
      try {
        const result = await send(request);
        error = failureOf(result);
        resultBytes = JSON.stringify(result).length;
        settle(error === undefined ? "ok" : "failed");
        return result;
      } catch (thrown) {
        const failure = asUpstreamError(thrown, server, subject);
        error = failure.message;
        settle(request.signal?.aborted && failure.delivery === "unknown" ? "cancelled" : failure.delivery);
        throw failure;
      }
    } catch (thrown) {
      error ??= thrown instanceof Error ? thrown.message : String(thrown);
      throw thrown;
    } finally {
      journal.finishRun(run, {
        status: error === undefined ? "ok" : "error",
        error,
        calls: 1,
        resultBytes,
        stdoutBytes: 0,
      });
    }
  };
}

function toolOf({ method, params }: ForwardRequest): string | undefined {
  return method === "tools/call" ? String(params["name"]) : undefined;
}
