import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { signalGroup } from "./process-group.ts";
import { guardProcessGroup } from "./reaper.ts";

export interface GroupOptions {
  readonly cwd?: string | undefined;
  /** Ours when absent. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** How many pipes it gets beside stdin, stdout and stderr. */
  readonly morePipes?: number;
}

/** A program in a process group of its own. */
export interface GroupProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Its pipes from descriptor 3 on. */
  readonly pipes: readonly Socket[];
  /** Ends the whole group at once. */
  kill(): void;
}

/** Starts a program that ends, with all of its group, when we do, however we end. What goes wrong is told by the child's "error". */
export function startGroup(
  file: string,
  args: readonly string[],
  { cwd, env, morePipes = 0 }: GroupOptions,
): GroupProcess {
  const stdio = Array<"pipe">(3 + morePipes).fill("pipe");
  const child = spawn(file, args, { ...(cwd !== undefined && { cwd }), ...(env && { env }), detached: true, stdio });
  const { pid } = child;
  if (pid !== undefined) child.once("exit", guardProcessGroup(pid));
  return {
    child: child as ChildProcessByStdio<Writable, Readable, Readable>,
    pipes: child.stdio.slice(3) as Socket[],
    kill: () => {
      if (pid !== undefined) signalGroup(pid, "SIGKILL");
    },
  };
}
