import type { ErrorCode } from "../errors.ts";
import { UpstreamError } from "./upstream-error.ts";

/** The failure of a request that the server has not seen. */
export function notSent(
  server: string,
  code: ErrorCode,
  why: string,
  tool: string | undefined,
  more: { readonly hint?: string | undefined; readonly retryAfterMs?: number } = {},
): UpstreamError {
  const message = `Nothing was sent to upstream ${JSON.stringify(server)}: ${why}`;
  return new UpstreamError(code, message, { server, tool, delivery: "not_sent", ...more });
}
