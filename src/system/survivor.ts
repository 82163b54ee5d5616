import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";

export type Survivor = ChildProcessByStdio<Writable, null, null>;

/**
 * A shell that outlives us: the end of its stdin is our end, however we died. The script is our constant; what it
 * needs to know comes as arguments or by stdin. It does not keep us alive.
 */
export function startSurvivor(
  script: string,
  args: readonly [name: string, ...more: string[]],
  env: Readonly<Record<string, string>>,
): Survivor {
  const child = spawn("/bin/sh", ["-c", script, ...args], {
    cwd: "/",
    env,
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  child.unref();
  (child.stdin as Socket).unref();
  return child;
}
