export type { Actor, Caller } from "./actor.ts";
export type { Gate, Verdict } from "./door/gate.ts";
export { CoordinatorError, type ErrorCode } from "./errors.ts";
export { connectLibraries } from "./operations/connect-libraries.ts";
export { Coordinator, type OpenOptions } from "./operations/coordinator.ts";
export type { Generated } from "./operations/generate-tools.ts";
export type { ExecuteRequest } from "./runtime/execute-request.ts";
export type { RunError, RunResult, RunStatus, Truncation } from "./runtime/run-result.ts";
export { UpstreamError as ToolError } from "./upstream/upstream-error.ts";
