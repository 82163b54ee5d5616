import type { Artifacts } from "../store/artifacts.ts";
import { cutText, cutValue } from "./cut.ts";
import type { RunResult, Truncation } from "./run-result.ts";

/** What a guest left behind, whole. */
export interface RawOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** Absent when the last expression had no value. */
  readonly result?: unknown;
}

type FittedOutput = Pick<RunResult, "result" | "stdout" | "stderr" | "artifacts" | "truncated">;

/** The least that each part may show, however much the others take. */
const leastShare = 0.15;

/** Fits output into a budget of tokens. What is cut stays whole as an artifact, and the answer says where. */
export function fitOutput(run: string, raw: RawOutput, maxTokens: number, artifacts: Artifacts): FittedOutput {
  const truncated: Truncation[] = [];
  const least = Math.floor(maxTokens * leastShare);
  let left = maxTokens;
  const spend = (wanted: number): number => Math.max(least, Math.min(wanted, left));

  const stdout = cutText(raw.stdout, spend(Math.floor(maxTokens * (raw.result === undefined ? 1 : 0.6))));
  left -= stdout.tokens;
  const stderr = cutText(raw.stderr, spend(Math.floor(maxTokens * 0.25)));
  left -= stderr.tokens;
  const result = raw.result === undefined ? undefined : cutValue(raw.result, spend(left));

  const keep = (
    of: Truncation["of"],
    kept: typeof stdout.kept | undefined,
    name: string,
    whole: () => string,
  ): void => {
    if (kept) truncated.push({ of, ...kept, artifact: artifacts.save(run, name, whole()) });
  };
  keep("result", result?.kept, "result.json", () => JSON.stringify(raw.result));
  keep("stdout", stdout.kept, "stdout.txt", () => raw.stdout);
  keep("stderr", stderr.kept, "stderr.txt", () => raw.stderr);
  return {
    ...(result && { result: result.shown }),
    ...(raw.stdout !== "" && { stdout: stdout.shown }),
    ...(raw.stderr !== "" && { stderr: stderr.shown }),
    ...(truncated.length > 0 && { truncated, artifacts: truncated.map(({ artifact }) => artifact) }),
  };
}
