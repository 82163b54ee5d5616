import { runProgram } from "../../system/run-program.ts";
import { runtimeEnvironment } from "./runtime-environment.ts";

export interface Answer {
  /** The exit code; null when the program could not be started or took too long. */
  readonly code: number | null;
  readonly stdout: string;
  /** Why it failed, in its own last words. */
  readonly problem: string;
}

const patienceMs = 30_000;

/** Runs a program of the container runtime to its end. Never throws. */
export async function ask(program: string, args: readonly string[]): Promise<Answer> {
  const end = await runProgram(program, args, { cwd: "/", env: runtimeEnvironment(), timeoutMs: patienceMs });
  return { code: end.code, stdout: end.stdout, problem: end.problem.split("\n").at(-1)?.trim() ?? "" };
}
