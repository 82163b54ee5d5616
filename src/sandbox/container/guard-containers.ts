import { once } from "node:events";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSurvivor } from "../../system/survivor.ts";
import { runtimeEnv } from "./ask-runtime.ts";
import type { ContainerRuntime } from "./find-runtime.ts";
import { ownerLabel } from "./run-arguments.ts";

/** Promises that containers are removed soon after the end of this process, even by SIGKILL. */
export interface ContainerGuard {
  /** Lasts as long as the guard: conmon leaves a file where it was started, and wants that place to be there at its end. */
  readonly folder: string;
  /** When no container is left. */
  release(): Promise<void>;
}

/**
 * Outlives us by a second: the end of its stdin is our end, however we died, and then it removes the containers that
 * are left of us; twice, for one that was just being made. A constant: what it needs comes as arguments.
 */
const script = `
trap '' HUP INT TERM
folder=$1
label=$2
shift 2
if ! read -r released; then
  for pause in 0 0.7; do
    sleep "$pause"
    containers=$("$@" ps --all --quiet --filter "label=$label")
    [ -n "$containers" ] || continue
    "$@" kill $containers
    "$@" rm --force $containers
  done
fi
rm -r -- "$folder"
`;

/** Where files are on a disk, which `/tmp` often is not: a Deno in it would be so much memory. */
const onDisk = "/var/tmp";

export function guardContainers({ program, options }: ContainerRuntime, owner: string): ContainerGuard {
  const folder = mkdtempSync(join(existsSync(onDisk) && tmpdir() === "/tmp" ? onDisk : tmpdir(), "mcp-coordinator-"));
  const label = `${ownerLabel}=${owner}`;
  const args = ["mcp-coordinator-sweeper", folder, label, program, ...options] as const;
  const child = startSurvivor(script, args, runtimeEnv());
  // Without a shell only the last resort is missing: the next start of a coordinator sweeps.
  const ended = once(child, "close").catch(() => {});
  child.stdin.on("error", () => {});
  return {
    folder,
    async release() {
      child.ref();
      child.stdin.end("released\n");
      await ended;
    },
  };
}
