import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** The seconds of CPU time that all processes of a cgroup have used; undefined when it is gone or not to be seen. */
function cpuSeconds(cgroups: string): number | undefined {
  const lines = cgroups.split("\n").map((line) => /^\d+:([^:]*):(.+)$/.exec(line) ?? []);
  const version1 = lines.find(([, controllers]) => controllers?.split(",").includes("cpuacct"))?.[2];
  const version2 = lines.find(([line]) => line?.startsWith("0::"))?.[2];
  try {
    if (version1) return Number(readFileSync(`/sys/fs/cgroup/cpuacct${version1}/cpuacct.usage`, "utf8")) / 1e9;
    const stat = readFileSync(`/sys/fs/cgroup${version2}/cpu.stat`, "utf8");
    return Number(/^usage_usec (\d+)$/m.exec(stat)?.[1]) / 1e6;
  } catch {
    return undefined;
  }
}

/**
 * Calls back when the processes of a cgroup have together used up their CPU time. The kernel's own limit holds for each
 * process alone. Looks only when it can have happened: not before every core has worked on it all the while.
 */
export function watchCpuTime(cgroups: string, limitSeconds: number, onSpent: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const used = cpuSeconds(cgroups);
    if (used === undefined || Number.isNaN(used)) return;
    if (used >= limitSeconds) return onSpent();
    timer = setTimeout(look, Math.max(50, ((limitSeconds - used) * 1000) / availableParallelism())).unref();
  };
  look();
  return () => clearTimeout(timer);
}
