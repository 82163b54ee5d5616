import type { Language, Limits } from "../engine.ts";
import { memoryBytes, userId } from "./run-arguments.ts";

/** The files inside a container that tell what it really got. Of the cgroup's, one version's are there. */
export const telltales = [
  ...["/proc/self/status", "/proc/self/limits", "/proc/self/mountinfo", "/proc/net/dev"],
  ...["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.swap.max", "/sys/fs/cgroup/pids.max"],
  ...["/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/pids/pids.max"],
];

/** Files by path, from the output of `head -v`. */
export function readReport(text: string): Map<string, string> {
  const [, ...sections] = text.split(/^==> (.+) <==$/m);
  return new Map(
    sections.flatMap((path, index) => (index % 2 === 0 ? [[path, sections[index + 1]?.trim() ?? ""] as const] : [])),
  );
}

/** What a container lacks of what this engine promises; empty when it has all. */
export function shortfalls(
  report: ReadonlyMap<string, string>,
  { language, limits, ours }: { language: Language; limits: Limits; ours: readonly string[] },
): string[] {
  const file = (path: string): string => report.get(path) ?? "";
  const status = (name: string): string =>
    new RegExp(`^${name}:\\s*(.*)$`, "m").exec(file("/proc/self/status"))?.[1] ?? "";
  const limit = (name: string): string =>
    new RegExp(`^Max ${name}\\s+(\\S+)`, "m").exec(file("/proc/self/limits"))?.[1] ?? "";
  const cgroup = (version2: string, version1: string): string =>
    file(`/sys/fs/cgroup/${version2}`) || file(`/sys/fs/cgroup/${version1}`);
  const mounts = readMounts(file("/proc/self/mountinfo"));
  const interfaces = [...file("/proc/net/dev").matchAll(/^[ \t]*(\S+):/gm)].map(([, name]) => name);
  const noCapability = ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].every((set) => /^0+$/.test(status(set)));
  const swap = file("/sys/fs/cgroup/memory.swap.max");
  const foreign = [...mounts.keys()].filter((place) => !isExpected(place, ours));

  const promises: [boolean, string][] = [
    [
      status("Uid")
        .split(/\s+/)
        .every((id) => id === String(userId)),
      `user id ${userId}`,
    ],
    [noCapability, "no capabilities"],
    [status("NoNewPrivs") === "1", "no new privileges"],
    // Any filter gives the first; that it is ours shows in the second.
    [status("Seccomp") === "2" && file("netlink") === "refused", "the system call filter"],
    [mounts.get("/")?.readOnly === true, "a read-only root"],
    [
      mounts.get("/tmp")?.text.includes(`size=${limits.scratchMb * 1024}k`) === true,
      "a scratch folder of limited size",
    ],
    [foreign.length === 0, `nothing of the host's files (it has ${foreign.join(", ")})`],
    [interfaces.join() === "lo", "no network"],
    [cgroup("memory.max", "memory/memory.limit_in_bytes") === String(memoryBytes(language, limits)), "a memory limit"],
    [swap === "" || swap === "0", "no swap"],
    [cgroup("pids.max", "pids/pids.max") === String(limits.processes), "a limit on processes"],
    [limit("open files") === String(limits.openFiles), "a limit on open files"],
    [limit("cpu time") === String(limits.cpuSeconds), "a limit on CPU time"],
  ];
  return promises.flatMap(([isKept, what]) => (isKept ? [] : [what]));
}

function readMounts(mountinfo: string): Map<string, { readonly readOnly: boolean; readonly text: string }> {
  return new Map(
    mountinfo.split("\n").flatMap((text) => {
      const [, , , , place, options] = text.split(" ");
      return place && options ? [[place, { readOnly: options.split(",").includes("ro"), text }] as const] : [];
    }),
  );
}

/** The container's own views of the kernel, the few files that every container runtime writes for it, and ours. */
function isExpected(place: string, ours: readonly string[]): boolean {
  return (
    /^\/(|tmp|run\/\.containerenv|(usr\/)?sbin\/docker-init|(proc|sys|dev)(\/.*)?|etc\/[^/]+)$/.test(place) ||
    ours.includes(place)
  );
}
