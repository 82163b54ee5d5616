import type { Language, Limits } from "../engine.ts";

/** What a container is made of; everything else about it is fixed. */
export interface ContainerPlan {
  readonly name: string;
  /** Labels the container with whom it belongs to. */
  readonly owner: string;
  readonly image: string;
  readonly language: Language;
  readonly limits: Limits;
  /** Host files that the container may read, by their place inside. */
  readonly readable: ReadonlyMap<string, string>;
  /** The file with the system call filter. */
  readonly profile: string;
  /** The words that podman and docker do not share. */
  readonly dialect: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  readonly command: readonly string[];
}

export const ownerLabel = "mcp-coordinator.owner";
/** Nobody, on every Linux. */
export const userId = 65534;
/** What the language's runtime itself takes before a guest has anything. */
const runtimeMb: Record<Language, number> = { typescript: 48, python: 16 };

/** Scratch is memory too: a guest that fills the one has not used up the other. */
export function memoryBytes(language: Language, { memoryMb, scratchMb }: Limits): number {
  return (memoryMb + scratchMb + runtimeMb[language]) * 1024 * 1024;
}

/** The arguments of `podman run` and `docker run`. */
export function runArguments(plan: ContainerPlan): string[] {
  const { limits } = plan;
  const memory = `${memoryBytes(plan.language, limits)}b`;
  const mounts = [...plan.readable].map(
    ([inside, outside]) => `type=bind,${quoted(`source=${outside}`)},target=${inside},readonly`,
  );
  return [
    ...[
      "run",
      "--rm",
      "--interactive",
      "--pull",
      "never",
      "--name",
      plan.name,
      "--label",
      `${ownerLabel}=${plan.owner}`,
    ],
    ...["--network", "none", "--ipc", "none", "--cgroupns", "private", "--hostname", "sandbox"],
    ...["--user", `${userId}:${userId}`, "--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
    ...["--security-opt", `seccomp=${plan.profile}`],
    ...[
      "--read-only",
      "--tmpfs",
      `/tmp:rw,nosuid,nodev,noexec,mode=1777,size=${limits.scratchMb}m`,
      "--workdir",
      "/tmp",
    ],
    ...["--memory", memory, "--memory-swap", memory, "--pids-limit", String(limits.processes)],
    ...ulimits(limits).flatMap((limit) => ["--ulimit", limit]),
    // What a guest and its host say to each other is nobody's log.
    ...["--log-driver", "none", "--no-healthcheck"],
    ...mounts.flatMap((mount) => ["--mount", mount]),
    ...plan.dialect,
    // Empties the environment that the image and the container runtime's settings give.
    ...["--entrypoint", "/usr/bin/env", "--", plan.image, "-i"],
    ...[...plan.env].map(([name, value]) => `${name}=${value}`),
    ...plan.command,
  ];
}

function ulimits({ cpuSeconds, openFiles, processes }: Limits): string[] {
  // The kernel counts nproc over all containers of a user, so it only keeps the default from failing here.
  const allContainers = processes * 64;
  return [
    `cpu=${cpuSeconds}:${cpuSeconds + 1}`,
    `nofile=${openFiles}:${openFiles}`,
    `nproc=${allContainers}:${allContainers}`,
    "core=0:0",
  ];
}

/** A field of the comma-separated values that --mount takes. */
function quoted(field: string): string {
  return `"${field.replaceAll('"', '""')}"`;
}
