import { isSpecType, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Params } from "./raw-server.ts";

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
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The params of ${method} do not match the protocol`);
  }
}
