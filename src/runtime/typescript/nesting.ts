import { packageFile } from "../../system/package-file.ts";
import { runProgram } from "../../system/run-program.ts";
import type { Problem } from "../checks/problem.ts";

/** Half of the shortest source that nests deeply enough to overflow the parser's stack. */
const harmlessLength = 8000;
const timeoutMs = 20_000;

/** Why a source cannot be parsed in this process, or undefined when it can: a long one is tried in another process first. */
export async function nestingProblem(source: string): Promise<Problem | undefined> {
  if (source.length <= harmlessLength) return undefined;
  const probe = [packageFile("dist/nesting-probe.js")];
  const { code } = await runProgram(process.execPath, probe, { env: {}, input: source, timeoutMs });
  if (code === 0) return undefined;
  return { line: 1, column: 1, message: "The code is nested too deeply to be parsed" };
}
