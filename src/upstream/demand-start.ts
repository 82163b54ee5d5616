import { CoordinatorError, type ErrorCode } from "../errors.ts";
import { UpstreamError } from "./upstream-error.ts";

/** Failures that a person ends, and no other try: the server is not left alone for them. */
export const personsMatters: ReadonlySet<ErrorCode> = new Set([
  "sign_in_needed",
  "server_unaccepted",
  "server_changed",
  "tool_denied",
]);

/** Asks whether the server may be started or reached; a no is a failure of the server like any other, with nothing sent. */
export async function demandStart(server: string, mayStart: (server: string) => Promise<void>): Promise<void> {
  try {
    await mayStart(server);
  } catch (thrown) {
    if (!(thrown instanceof CoordinatorError)) throw thrown;
    const { code, message, hint, cause } = thrown;
    throw new UpstreamError(code, message, { server, delivery: "not_sent", hint, cause });
  }
}
