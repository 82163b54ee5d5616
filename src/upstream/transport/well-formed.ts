import { isJSONRPCResultResponse, type JSONRPCMessage, type JSONRPCResponse } from "@modelcontextprotocol/client";
import { isFields } from "../../system/fields.ts";

/**
 * The value as a message that the SDK accepts; undefined when it is not a message. An answer that is malformed becomes one
 * that is not: the SDK would drop it, and its caller would wait until the timeout.
 */
export function wellFormed(value: unknown): JSONRPCMessage | undefined {
  if (!isFields(value)) return undefined;
  const { jsonrpc, id, result, error } = value;
  if (jsonrpc !== "2.0") return undefined;
  if (Object.hasOwn(value, "method") || (typeof id !== "number" && typeof id !== "string")) {
    return value as unknown as JSONRPCMessage;
  }
  return wellFormedAnswer(id, result, error);
}

function wellFormedAnswer(id: number | string, result: unknown, error: unknown): JSONRPCResponse {
  if (error !== undefined && error !== null) return { jsonrpc: "2.0", id, error: wellFormedError(error) };
  if (!isFields(result)) {
    return { jsonrpc: "2.0", id, error: { code: -32603, message: "the answer has neither a result nor an error" } };
  }
  const answer: JSONRPCResponse = { jsonrpc: "2.0", id, result };
  if (!Object.hasOwn(result, "_meta") || isJSONRPCResultResponse(answer)) return answer;
  const { _meta, ...rest } = result;
  return { jsonrpc: "2.0", id, result: rest };
}

function wellFormedError(error: unknown): { code: number; message: string; data?: unknown } {
  const { code, message, data } = isFields(error) ? error : { message: error };
  return {
    code: typeof code === "number" && Number.isSafeInteger(code) ? code : -32603,
    message: typeof message === "string" ? message : JSON.stringify(error),
    ...(data === undefined ? {} : { data }),
  };
}
