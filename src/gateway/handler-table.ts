import {
  isSpecType,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Exchange } from "./exchange.ts";
import type { Params } from "./raw-server.ts";

/** What registers a handler: the SDK's server, or a table. */
export type Registrar = Pick<Server, "setRequestHandler">;

type Handler = (request: { method: string; params: Params }, context: ServerContext) => Result | Promise<Result>;

/** Our own handlers, registered as with the SDK, to be put together with what other servers have. */
export class HandlerTable implements Registrar {
  /** Calls one of our tools, or says that there is none of that name. */
  callTool: ((params: Params, exchange: Exchange, client: string | undefined) => Promise<Result>) | undefined;
  toolNames: ReadonlySet<string> = new Set();
  readonly #handlers = new Map<string, Handler>();

  readonly setRequestHandler = ((method: string, handler: Handler): void => {
    this.#handlers.set(method, handler);
  }) as Server["setRequestHandler"];

  /** The names of our prompts. */
  async promptNames(context: ServerContext): Promise<ReadonlySet<string>> {
    const { prompts = [] } = ((await this.run("prompts/list", {}, context)) ?? {}) as { prompts?: Params[] };
    return new Set(prompts.map(({ name }) => String(name)));
  }

  has(method: string): boolean {
    return this.#handlers.has(method);
  }

  /** Undefined when we have nothing of that kind. */
  async run(method: string, params: Params, context: ServerContext): Promise<Result | undefined> {
    return this.#handlers.get(method)?.({ method, params }, context);
  }
}

const checks: Readonly<Record<string, (request: unknown) => boolean>> = {
  "tools/call": isSpecType.CallToolRequest,
  "prompts/get": isSpecType.GetPromptRequest,
  "resources/read": isSpecType.ReadResourceRequest,
  "resources/subscribe": isSpecType.SubscribeRequest,
  "resources/unsubscribe": isSpecType.UnsubscribeRequest,
  "completion/complete": isSpecType.CompleteRequest,
  "logging/setLevel": isSpecType.SetLevelRequest,
};

/** Refuses a request that lacks what its method needs. */
export function checkParams(method: string, params: Params): void {
  if (checks[method]?.({ method, params }) === false) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The params of ${method} are not what the protocol wants`);
  }
}
