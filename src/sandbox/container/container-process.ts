import { readFileSync, rmSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { guardProcessGroup } from "../../system/reaper.ts";
import { type GroupProcess, startGroup } from "../../system/start-group.ts";
import { childGuestProcess } from "../child-process.ts";
import type { Outcome } from "../engine.ts";
import type { GuestProcess } from "../open-sandbox.ts";
import { askRuntime, runtimeEnv } from "./ask-runtime.ts";
import { watchCpuTime } from "./cpu-time.ts";
import type { ContainerRuntime } from "./find-runtime.ts";
import { type ContainerPlan, runArguments } from "./run-arguments.ts";

export interface ContainerProcess extends GuestProcess {
  /** Whether it was killed; it may not be gone yet. */
  readonly isKilled: boolean;
  /** To be called when the guest is ready: its first process exists by now, and is watched from now on. */
  watch(): void;
}

/** The first process of a container, as the host sees it. */
interface FirstProcess {
  readonly pid: number;
  readonly cgroups: string;
}

/** How long a container that was killed may take to be removed. */
const overdueMs = 5000;

/** A new container, attached to the process that started it, which works in the folder. */
export function startContainer(runtime: ContainerRuntime, plan: ContainerPlan, folder: string): ContainerProcess {
  const pidFile = join(folder, plan.name);
  const dialect = runtime.name === "podman" ? [...plan.dialect, "--pidfile", pidFile] : plan.dialect;
  const args = [...runtime.options, ...runArguments({ ...plan, dialect })];
  const group = startGroup(runtime.program, args, { cwd: folder, env: runtimeEnv() });
  const client = group.child;
  let first: FirstProcess | undefined;
  let isKilled = false;
  let isOutOfTime = false;
  let overdue: NodeJS.Timeout | undefined;

  const kill = (): void => {
    if (isKilled || client.exitCode !== null || client.signalCode !== null) return;
    isKilled = true;
    // At the end of its input a guest ends that has not even been started yet; a half-made container would stay.
    client.stdin.destroy();
    first ??= readFirstProcess(pidFile);
    if (first) endProcess(first);
    else if (runtime.name === "docker") void askRuntime(runtime.program, [...runtime.options, "kill", plan.name]);
    overdue = setTimeout(() => void removeByForce(runtime, plan.name, group), overdueMs).unref();
  };
  client.once("close", () => {
    clearTimeout(overdue);
    rmSync(pidFile, { force: true });
  });

  return {
    ...childGuestProcess(group, (code, signal) => {
      if (isOutOfTime) return cpuSpent;
      return isKilled ? { end: "cancelled" } : explainExit(code, signal);
    }),
    get isKilled() {
      return isKilled;
    },
    kill,
    watch() {
      first = readFirstProcess(pidFile);
      if (!first) return;
      if (isKilled) return endProcess(first);
      const unguard = guardProcessGroup(first.pid);
      const unwatch = watchCpuTime(first.cgroups, plan.limits.cpuSeconds, () => {
        isOutOfTime = true;
        kill();
      });
      client.once("exit", () => {
        unguard();
        unwatch();
      });
    },
  };
}

function readFirstProcess(pidFile: string): FirstProcess | undefined {
  try {
    const pid = Number(readFileSync(pidFile, "utf8"));
    return pid > 1 ? { pid, cgroups: readFileSync(`/proc/${pid}/cgroup`, "utf8") } : undefined;
  } catch {
    // Not started yet, gone again, or in a machine of its own.
    return undefined;
  }
}

/** With its first process all others of a container end. */
function endProcess({ pid, cgroups }: FirstProcess): void {
  try {
    // By now the id could be another's.
    if (readFileSync(`/proc/${pid}/cgroup`, "utf8") === cgroups) process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

async function removeByForce({ program, options }: ContainerRuntime, name: string, client: GroupProcess) {
  await askRuntime(program, [...options, "rm", "--force", name]);
  client.kill();
}

const cpuSpent: Outcome = { end: "limit", limit: "cpu" };

/** A container's exit code is that of its first process; a signal is 128 plus its number. */
function explainExit(code: number | null, signal: NodeJS.Signals | null): Outcome {
  const { SIGXCPU, SIGKILL, SIGABRT, SIGTRAP } = constants.signals;
  const number = (code ?? 0) - 128;
  if (number === SIGXCPU) return cpuSpent;
  // The kernel kills the process that goes over the cgroup's memory, and no guest can kill the first process, itself, that way;
  // V8 and its allocators give up by the other two.
  if (number === SIGKILL || number === SIGABRT || number === SIGTRAP) return { end: "limit", limit: "memory" };
  return { end: "crashed", reason: `The container ended (${signal ?? `exit code ${code}`})` };
}
