/** The sorts of acts, as rules name them; "own" is ours, with an effect outside. */
export type ActKind = "tool" | "resource" | "prompt" | "completion" | "subscription" | "list" | "other" | "own";

/** Something that somebody wants done, as gates judge it and the journal has it. */
export interface Act {
  readonly kind: ActKind;
  /** The server that is to do it; `coordinator` for what we do ourselves. */
  readonly server: string;
  /** The tool, the method of the protocol, or the act of our own. */
  readonly name: string;
  /** What it is given: JSON. */
  readonly args: unknown;
}

/** An act of an upstream, and how it is asked for: a call of its tool, or a request in the protocol's own words. */
export interface UpstreamAct extends Act {
  readonly request?:
    | { readonly method: string; readonly params: Record<string, unknown>; readonly what: string }
    | undefined;
}

/** A call of a tool by its exact name. */
export function toolCall(server: string, tool: string, args: Record<string, unknown>): UpstreamAct {
  return { kind: "tool", server, name: tool, args };
}

/** Any request, handed on as it is. `what` follows "Cannot" when it fails. */
export function requestOf(
  server: string,
  method: string,
  params: Record<string, unknown>,
  what = `get the answer to ${method}`,
): UpstreamAct {
  const request = { method, params, what };
  if (method !== "tools/call")
    return { kind: kinds.get(method) ?? "other", server, name: method, args: params, request };
  return { kind: "tool", server, name: String(params["name"]), args: params["arguments"] ?? {}, request };
}

const kinds = new Map<string, ActKind>([
  ["resources/read", "resource"],
  ["prompts/get", "prompt"],
  ["completion/complete", "completion"],
  ["resources/subscribe", "subscription"],
  ["resources/unsubscribe", "subscription"],
  ["tools/list", "list"],
  ["prompts/list", "list"],
  ["resources/list", "list"],
  ["resources/templates/list", "list"],
]);
