/** What a server may want of the user, or of the AI client, during a call. */
export type AskMethod = "elicitation/create" | "sampling/createMessage" | "roots/list";

type Params = Readonly<Record<string, unknown>>;

/** The client at whose wish a call is made: turns at a busy server go by it, and a server's questions go to it. */
export interface Caller {
  /** The same for every call of one client, as long as it is connected. */
  readonly id: string;
  /** What the client can do, as it declared it to us in the protocol's own words. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /**
   * Asks the client and gives its answer as it came; throws when it refuses, cannot, or is gone. `key` is the server's
   * own name for the question, where it has one.
   */
  ask(
    method: AskMethod,
    params: Params | undefined,
    options: { readonly signal: AbortSignal; readonly key?: string | undefined },
  ): Promise<unknown>;
  /** Hands on what the server tells about the call; a client that cannot hear it misses it. */
  notify?(notification: { readonly method: string; readonly params?: Params | undefined }): void;
}

/** Whether the client has declared what the question needs. */
export function canAnswer(
  capabilities: Caller["capabilities"],
  method: AskMethod,
  params: Params | undefined,
): boolean {
  if (method === "roots/list") return isObject(capabilities["roots"]);
  if (method === "sampling/createMessage") {
    const { sampling } = capabilities;
    const wantsTools = params?.["tools"] !== undefined || params?.["toolChoice"] !== undefined;
    return isObject(sampling) && (!wantsTools || isObject(sampling["tools"]));
  }
  const { elicitation } = capabilities;
  if (!isObject(elicitation)) return false;
  if (params?.["mode"] === "url") return isObject(elicitation["url"]);
  // Before there were two modes, the bare capability meant forms.
  return isObject(elicitation["form"]) || elicitation["url"] === undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
