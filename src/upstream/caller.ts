/** What a server may want of the user, or of the AI client, during a call. */
type AskMethod = "elicitation/create" | "sampling/createMessage" | "roots/list";

/** The client at whose wish a call is made: turns at a busy server go by it, and a server's questions go to it. */
export interface Caller {
  /** The same for every call of one client, as long as it is connected. */
  readonly id: string;
  /** What the client can do, as it declared it to us in the protocol's own words. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Asks the client and gives its answer as it came; throws when it refuses, cannot, or is gone. */
  ask(
    method: AskMethod,
    params: Readonly<Record<string, unknown>> | undefined,
    options: { readonly signal: AbortSignal },
  ): Promise<unknown>;
}
