import { execFile } from "node:child_process";
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
export function ask(program: string, args: readonly string[]): Promise<Answer> {
  return new Promise((resolve) => {
    const env = runtimeEnvironment();
    const options = { cwd: "/", env, timeout: patienceMs, killSignal: "SIGKILL", maxBuffer: 16 * 1024 * 1024 } as const;
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      const lastLine = stderr.trim().split("\n").at(-1)?.trim();
      const problem = lastLine || (error?.killed ? `no answer within ${patienceMs / 1000} s` : (error?.message ?? ""));
      resolve({ code: error ? (child.exitCode ?? null) : 0, stdout, problem });
    });
    child.stdin?.end();
  });
}
