export type { Actor, Caller } from "./actor.ts";
export { connectLibraries } from "./app/connect-libraries.ts";
export { Coordinator, type OpenOptions } from "./app/coordinator.ts";
export type { Gate, Verdict } from "./door/gate.ts";
export { CoordinatorError, type ErrorCode } from "./errors.ts";
export type { Generated } from "./operations/discovery/generate-tools.ts";
export type { ExecuteRequest } from "./runtime/execute-request.ts";
export type { RunError, RunResult, RunStatus, Truncation } from "./runtime/results/run-result.ts";
export { UpstreamError as ToolError } from "./upstream/upstream-error.ts";
