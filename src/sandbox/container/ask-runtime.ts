import { programEnv } from "../../config/program-env.ts";
import { runProgram } from "../../system/run-program.ts";

export interface RuntimeAnswer {
  /** The exit code; null when the program could not be started or took too long. */
  readonly code: number | null;
  readonly stdout: string;
  /** Why it failed, in its own last words. */
  readonly problem: string;
}

const patienceMs = 30_000;

/** Runs a program of the container runtime to its end. Never throws. */
export async function askRuntime(program: string, args: readonly string[]): Promise<RuntimeAnswer> {
  const end = await runProgram(program, args, { cwd: "/", env: runtimeEnv(), timeoutMs: patienceMs });
  return { code: end.code, stdout: end.stdout, problem: end.problem.split("\n").at(-1)?.trim() ?? "" };
}

/** What podman and docker need of the environment to find their own; none of our secrets is in it. */
export function runtimeEnv(): Record<string, string> {
  return programEnv([
    ...["CONTAINER_HOST", "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF", "DBUS_SESSION_BUS_ADDRESS"],
    ...["DOCKER_CERT_PATH", "DOCKER_CONFIG", "DOCKER_CONTEXT", "DOCKER_HOST", "DOCKER_TLS_VERIFY"],
  ]);
}
