import type { Journal } from "../store/journal.ts";
import type { Caller } from "../upstream/caller.ts";
import type { Upstreams } from "../upstream/upstreams.ts";
import { asRun } from "./as-run.ts";
import { refuseForbidden, throughDoor } from "./dispatch.ts";
import type { Libraries } from "./libraries.ts";
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
  return (request) => {
    const { server, method, params, client, signal } = request;
    if (!journaled.has(method)) return send(request);
    const tool = toolOf(request);
    const args = params["arguments"] ?? params["uri"] ?? params["name"] ?? {};
    const act = (run: string) =>
      throughDoor(
        { run, server, tool: tool ?? method, args, signal, journal },
        {
          admit() {
            if (tool !== undefined) refuseForbidden(server, tool, libraries);
          },
          async send() {
            const answer = await send(request);
            return { answer, bytes: JSON.stringify(answer).length, error: failureOf(answer) };
          },
        },
      );
    return asRun(journal, { client }, act, failureOf);
  };
}

function toolOf({ method, params }: ForwardRequest): string | undefined {
  return method === "tools/call" ? String(params["name"]) : undefined;
}
