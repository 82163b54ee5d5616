import { CoordinatorError } from "../../errors.ts";

const setting = "coordinator.sandbox.network.allow";

const mostNamed = 20;

/** The setting does not open what was asked for. `target` is a checked host, with its port where that matters. */
export function notAllowed(target: string, open: readonly string[]): CoordinatorError {
  const more = open.length > mostNamed ? ` and ${open.length - mostNamed} more` : "";
  const named = open.length === 0 ? "none" : `${open.slice(0, mostNamed).join(", ")}${more}`;
  return new CoordinatorError("network_denied", `Guests may not reach ${target}`, {
    hint: `Hosts that are open to them: ${named} (${setting}).`,
  });
}

/** The host is open, but stands for a place that never is. Its addresses are not told: they describe the user's network. */
export function notPublic(host: string): CoordinatorError {
  return new CoordinatorError("network_denied", `Guests may not reach ${host}: it has an address that is not public`, {
    hint: `Private, local and reserved addresses stay closed, whatever ${setting} says.`,
  });
}

export function requestInvalid(reason: string): CoordinatorError {
  return new CoordinatorError("input_invalid", `Cannot send this request: ${reason}`);
}

export function requestFailed(host: string, reason: string): CoordinatorError {
  return new CoordinatorError("network_failed", `The request to ${host} failed: ${reason}`);
}

export function requestTimedOut(host: string, seconds: number): CoordinatorError {
  return new CoordinatorError("call_timeout", `The request to ${host} did not end within ${seconds} seconds`);
}

export function requestCancelled(host: string): CoordinatorError {
  return new CoordinatorError("call_cancelled", `The request to ${host} was cancelled`);
}

/** A failure of Node's network code by its code: the texts hold addresses and words of the other side. */
export function reasonOf(thrown: unknown): string {
  const code = (thrown as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^[A-Z0-9_]{2,60}$/.test(code) ? code : "the connection was lost";
}
