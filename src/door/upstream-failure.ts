import { CoordinatorError, messageOf } from "../errors.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { Act } from "./act.ts";

/** Every failure behind the door names the call it belongs to. What failed before anything was sent says so. */
export function asUpstreamError(thrown: unknown, { server, name }: Act, delivery?: "not_sent"): UpstreamError {
  if (thrown instanceof UpstreamError && !delivery && thrown.tool !== undefined) return thrown;
  const known = thrown instanceof CoordinatorError ? thrown : undefined;
  return new UpstreamError(known?.code ?? "call_failed", messageOf(thrown), {
    server,
    tool: name,
    delivery: delivery ?? (thrown instanceof UpstreamError ? thrown.delivery : known ? "not_sent" : "unknown"),
    ...(thrown instanceof UpstreamError && {
      rpcCode: thrown.rpcCode,
      rpcMessage: thrown.rpcMessage,
      rpcData: thrown.rpcData,
      retryAfterMs: thrown.retryAfterMs,
    }),
    hint: known?.hint,
    cause: thrown,
  });
}
