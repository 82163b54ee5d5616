import { isDeepStrictEqual } from "node:util";
import { patience } from "./patience.ts";
import type { Case, Expectation } from "./row.ts";
import { type Answer, limits } from "./stage.ts";

/** What is wrong with how a case ended; nothing when it ended as expected, with a clear error where there is one. */
export function judge(attack: Case, answer: Answer): string[] {
  const { status, error, result, milliseconds } = answer;
  const problems: string[] = [];
  const limitMs = timeLimitMs(attack);
  if (status === "hang") return [`no answer after ${Math.round(milliseconds)} ms: ${error?.message}`];
  if (!attack.expect.some((expectation) => fits(expectation, answer))) {
    problems.push(
      `expected ${attack.expect.join("/")}, ended as ${outcome(answer)}: ${error?.message?.slice(0, 300) ?? ""}`,
    );
  }
  if (status !== "ok" && (!(error?.message || error?.name) || !answer.isError))
    problems.push("its end is not told as a clear error");
  if (status === "timeout" && milliseconds > limitMs + waitForTurnMs(attack) + patience(1000)) {
    problems.push(`the time limit of ${limitMs} ms took ${Math.round(milliseconds)} ms`);
  }
  if (attack.says && !attack.says.test(error?.message ?? ""))
    problems.push(`the message is not clear: ${error?.message}`);
  if ("returns" in attack && !isDeepStrictEqual(result, attack.returns)) {
    problems.push(`returned ${JSON.stringify(result)?.slice(0, 300)} in place of ${JSON.stringify(attack.returns)}`);
  }
  return problems;
}

function timeLimitMs({ steps }: Case): number {
  return (steps.at(-1)?.timeout ?? limits.timeoutSeconds) * 1000;
}

/** How long a run of the same client may wait for its turn beside the copies of an attack: until those before it have had their time. */
export function waitForTurnMs(attack: Case): number {
  return Math.floor(attack.copies / limits.parallelRuns) * timeLimitMs(attack);
}

function fits(expectation: Expectation, { status, error }: Answer): boolean {
  switch (expectation) {
    case "N":
      return ["ok", "error", "limit", "timeout", "denied"].includes(status);
    case "E":
      return ["error", "limit", "denied"].includes(status);
    case "T":
      return status === "timeout";
    case "M":
      return status === "limit" && error?.limit === "memory";
    case "L":
      return status === "limit";
    case "R":
      return status === "check_failed" || status === "refused";
    case "ok":
      return status === "ok";
  }
}

/** How a case ended, in a word or two. */
export function outcome({ status, error }: Answer): string {
  if (status === "limit") return `limit ${error?.limit}`;
  if (status === "refused") return `refused ${error?.code ?? ""}`.trim();
  return error?.code === "sandbox_failed" ? "crashed" : status;
}
