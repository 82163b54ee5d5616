import { readFileSync } from "node:fs";
import { systemCode } from "../errors.ts";

/** The process that a run belongs to. The mark tells it from a later process with the same pid; empty where unknown. */
export interface Owner {
  readonly pid: number;
  readonly mark: string;
}

let self: Owner | undefined;

export function thisProcess(): Owner {
  self ??= { pid: process.pid, mark: markOf(process.pid) };
  return self;
}

export function isAlive({ pid, mark }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    // EPERM: it is there, and belongs to another user.
    if (systemCode(thrown) !== "EPERM") return false;
  }
  const found = markOf(pid);
  return mark === "" || found === "" || mark === found;
}

/** On Linux the moment the process started, in clock ticks since boot; elsewhere nothing as cheap is known. */
function markOf(pid: number): string {
  if (process.platform !== "linux") return "";
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name and may hold spaces and brackets; the start is the 20th after it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    // The process is gone, or /proc is hidden: no mark is the answer for both.
    return "";
  }
}
