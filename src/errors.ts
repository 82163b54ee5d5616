/**
 * Every way in which the host can fail, by its stable code. docs/errors.md explains each; a test ties the two.
 * A guest's own failures are values (see runtime/execute.ts), not these.
 */
export const errorCodes = {
  config_not_found: "no configuration file was found",
  config_invalid: "the configuration file has problems",
  server_unknown: "no server of that name is configured",
  server_left_out: "the server is configured, and variables that it names are not set",
  server_start_failed: "the server could not be started",
  server_unreachable: "the server could not be reached",
  server_untrusted: "the server has no certificate that can be trusted",
  sign_in_needed: "the server wants you to sign in",
  sign_in_failed: "signing in did not work",
  server_closed: "the server ended while it was needed",
  server_resting: "the server has failed repeatedly, or asked for a pause, and is left alone for a while",
  server_busy: "too many calls wait for the server",
  tool_unknown: "the server has no tool of that name",
  tool_denied: "the configuration, a policy or a skill's own declaration forbids the tool",
  tool_changed: "the tool is not as it was accepted, and was not called",
  server_changed: "the server is not started or reached as it was accepted",
  server_unaccepted: "the server is of a project's file, and nobody has accepted it",
  needs_approval: "a person has to decide, and has not yet",
  approval_rejected: "a person has decided against it",
  approval_expired: "nobody decided in time",
  approval_unknown: "no call waits for a decision under that id",
  approval_decided: "somebody has decided it before",
  terminal_needed: "it is decided at a terminal, and there is none",
  call_failed: "the server answered the call with an error",
  call_timeout: "the server did not answer the call in time",
  call_cancelled: "the call was cancelled",
  engine_unavailable: "the engine cannot run here",
  missing_package: "the code imports a package that is not installed",
  check_timeout: "the check of the guest's code took too long, or too much memory",
  network_denied: "the configuration does not open that host to guests",
  network_failed: "the host could not be reached, or answered badly",
  runs_busy: "too many runs wait for their turn",
  session_lost: "the session has ended, and what it held is gone",
  session_limit: "there is no room for another session",
  sandbox_failed: "the sandbox ended or misbehaved",
  storage_unavailable: "the data folder or its database cannot be used",
  run_unknown: "the journal has no run of that id",
  storage_full: "there is no room left for it",
  memory_conflict: "the entry was changed meanwhile",
  artifact_unknown: "no artifact has that address",
  skill_unknown: "there is no skill of that name, or no such version",
  skill_invalid: "the skill has problems, and was not stored",
  skill_refused: "the run may not change that skill",
  file_unknown: "the workspace has no file of that name",
  file_refused: "the path is not one that the workspace takes",
  file_exists: "the file is already there",
  file_busy: "another process has been writing to the file for too long",
  workspace_full: "the workspace or the file would become too large",
  commit_failed: "the workspace could not be recorded in git",
  tests_failed: "tests of the file failed, or it has none",
  environment_unknown: "no environment of that name exists",
  environment_unusable: "the environment cannot be used here",
  package_refused: "the configuration does not let that package be installed",
  install_failed: "the packages could not be installed",
  consent_missing: "the user did not agree to it, or could not be asked",
  host_stalled: "the coordinator stood still during it, and it was ended",
  closed: "the coordinator has been closed",
  input_invalid: "the arguments do not fit",
  address_unusable: "the address cannot be listened on",
  output_exists: "the output folder holds files that were not generated",
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** As long as what a run showed may be within one. More than that is a name or a value that somebody made long. */
const longestMessage = 50_000;

/** The one error class of the host: what could not be done and why, and the fix where one is known. */
export class CoordinatorError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string | undefined; cause?: unknown } = {}) {
    const told = message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message;
    super(told, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "CoordinatorError";
    this.code = code;
    this.hint = options.hint;
  }
}

/** The system's code of an error that has one: `ENOENT`. */
export function systemCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : undefined;
}

/** Whether the system says that there is no such file. */
export function isAbsent(thrown: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(systemCode(thrown) ?? "");
}

/** The text of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The same with the fix behind it, for those who get one text only: a guest, a model. */
export function messageWithHint(thrown: unknown): string {
  const message = messageOf(thrown);
  if (!(thrown instanceof CoordinatorError) || thrown.hint === undefined) return message;
  const sentence = message.replace(/(?<![.\s])[.\s]+$/, "");
  return `${sentence}${/[?!]$/.test(sentence) ? "" : "."} ${thrown.hint}`;
}
