import { CoordinatorError, type ErrorCode } from "../errors.ts";

/**
 * What became of a request: `not_sent`, nothing was written, so trying again is safe; `failed`, the server answered
 * with an error; `unknown`, it was written and no answer came, so it may have acted.
 */
export type Delivery = "not_sent" | "failed" | "unknown";

export interface UpstreamErrorOptions {
  readonly server: string;
  readonly tool?: string | undefined;
  readonly delivery: Delivery;
  readonly rpcCode?: number | undefined;
  readonly rpcMessage?: string | undefined;
  readonly rpcData?: unknown;
  readonly retryAfterMs?: number | undefined;
  readonly result?: unknown;
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** A request to an upstream that brought no result. */
export class UpstreamError extends CoordinatorError {
  readonly server: string;
  /** The tool that was called; undefined when it was not a tool call. */
  readonly tool: string | undefined;
  readonly delivery: Delivery;
  /** The code of the JSON-RPC error that the server answered with. */
  readonly rpcCode: number | undefined;
  /** Its own message and data, as they came unless they were very long; for who hands the answer on as it is. */
  readonly rpcMessage: string | undefined;
  readonly rpcData: unknown;
  /** When it is worth trying again, where that is known. */
  readonly retryAfterMs: number | undefined;
  /** What a tool that answered with an error has sent, whole. */
  readonly result: unknown;

  constructor(code: ErrorCode, message: string, options: UpstreamErrorOptions) {
    super(code, message, options);
    this.name = "UpstreamError";
    this.server = options.server;
    this.tool = options.tool;
    this.delivery = options.delivery;
    this.rpcCode = options.rpcCode;
    this.rpcMessage = options.rpcMessage;
    this.rpcData = options.rpcData;
    this.retryAfterMs = options.retryAfterMs;
    this.result = options.result;
  }
}
