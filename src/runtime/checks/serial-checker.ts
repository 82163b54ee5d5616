import type { Library } from "../../catalog/tool.ts";
import { CoordinatorError } from "../../errors.ts";
import { waitFor } from "../../system/wait-for.ts";
import type { CheckContext, Checker } from "../compiled.ts";
import type { Problem } from "./problem.ts";

/** What checks in a process of its own, which is started with the first check. */
export interface CheckProcess extends Pick<Checker, "stop"> {
  check(source: string, libraries: readonly Library[], context: CheckContext): Promise<readonly Problem[]>;
  isRunning(): boolean;
  /** A type can be made to compute for ever; a check that takes this long is given up with its process. */
  readonly timeoutMs: number;
  /**
   * What it means that the process has ended over a check, and over another attempt: it may have died of an earlier one.
   * Absent where such a failure says that itself.
   */
  endedOver?(cause: unknown): CoordinatorError;
}

/** The first check starts the process as well, on a machine that may be busy. */
const firstTimeoutMs = 30_000;

/** Checks one at a time, since all share one process; a failure ends that, and the next check starts another. */
export function createSerialChecker({ check, stop, isRunning, timeoutMs, endedOver }: CheckProcess): Checker {
  let queue: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  return {
    check(source, libraries, context = {}) {
      const attempt = async () => {
        if (isClosed) throw new CoordinatorError("sandbox_failed", "The type check was closed");
        const limitMs = isRunning() ? timeoutMs : firstTimeoutMs;
        const done = await waitFor(check(source, libraries, context), limitMs);
        if (typeof done === "object") return done.value;
        throw new CoordinatorError("check_timeout", `The type check took longer than ${limitMs / 1000} seconds`, {
          hint: "Simplify the types in the code; nothing has run.",
        });
      };
      const isFinal = (thrown: unknown) => !endedOver || thrown instanceof CoordinatorError || isClosed;
      const checked = queue.then(attempt).catch(async (thrown: unknown) => {
        if (!endedOver || isFinal(thrown)) throw thrown;
        await stop();
        return attempt().catch((again: unknown) => {
          throw isFinal(again) ? again : endedOver(again);
        });
      });
      queue = checked.catch(stop);
      return checked;
    },
    stop() {
      const stopped = queue.then(stop);
      queue = stopped;
      return stopped;
    },
    [Symbol.asyncDispose]() {
      isClosed = true;
      return stop();
    },
  };
}
