import { CoordinatorError } from "../errors.ts";
import type { Journal } from "../store/journal.ts";
import type { Caller } from "../upstream/caller.ts";
import { type Listing, type ListName, listMethods } from "../upstream/list-pages.ts";
import type { Upstreams } from "../upstream/upstreams.ts";
import { type ToolName, throughDoor } from "./dispatch.ts";
import type { Libraries } from "./libraries.ts";

interface Asking {
  /** The run that it belongs to; it must be open in the journal. */
  readonly run: string;
  readonly server: string;
  /** The servers that this run may reach; undefined means all. */
  readonly servers?: ReadonlySet<string> | undefined;
  /** The only tools that this run may call: one that is so limited may ask for nothing else. */
  readonly tools?: readonly ToolName[] | undefined;
  readonly caller?: Caller | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The door to the upstreams for what is no call of a tool: allowed and journaled like one. */
export interface AskUpstream {
  /** The server's own result, as it came. */
  request(
    asking: Asking,
    request: { readonly method: string; readonly params: Record<string, unknown>; readonly what: string },
  ): Promise<unknown>;
  list(asking: Asking, name: ListName): Promise<Listing>;
}

export interface AskUpstreamOptions {
  readonly libraries: Pick<Libraries, "server">;
  readonly upstreams: Pick<Upstreams, "request" | "listAll">;
  readonly journal: Journal;
}

export function createAskUpstream({ libraries, upstreams, journal }: AskUpstreamOptions): AskUpstream {
  const ask = <Answer>(
    asking: Asking,
    [method, params]: readonly [string, Record<string, unknown>],
    send: (options: Parameters<Upstreams["request"]>[2]) => Promise<Answer>,
  ): Promise<Answer> => {
    const { run, server, caller, signal } = asking;
    return throughDoor(
      { run, server, tool: method, args: params, signal, journal },
      {
        admit: () => admit(asking, libraries),
        async send() {
          const answer = await send({ caller, turn: caller?.id ?? run, ...(signal && { signal }) });
          return { answer, bytes: JSON.stringify(answer).length };
        },
      },
    );
  };
  return {
    request: (asking, request) =>
      ask(asking, [request.method, request.params], (options) => upstreams.request(asking.server, request, options)),
    list: (asking, name) =>
      ask(asking, [listMethods[name], {}], (options) => upstreams.listAll(asking.server, name, options)),
  };
}

function admit({ server, servers, tools }: Asking, libraries: Pick<Libraries, "server">): void {
  libraries.server(server);
  if (servers && !servers.has(server)) {
    throw new CoordinatorError("tool_denied", `This run may not use the server "${server}"`);
  }
  if (!tools) return;
  throw new CoordinatorError(
    "tool_denied",
    `A skill may call the tools that it declares, and read nothing else of "${server}"`,
  );
}
