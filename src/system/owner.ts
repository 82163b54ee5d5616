import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { systemCode } from "../errors.ts";

/** The process that something belongs to. */
export interface Owner {
  /** Where the ids of processes mean the same: one machine since it was started, and in it one container. */
  readonly node: string;
  /** Which life it is there: the id of the process, and what tells it from a later one with the same id. */
  readonly epoch: string;
}

let self: Owner | undefined;

export function thisProcess(): Owner {
  self ??= { node: nodeId(), epoch: epochOf(process.pid) };
  return self;
}

/** Undefined for one of another node: whether it lives cannot be seen from here, only when it was last heard of. */
export function isAlive({ node, epoch }: Owner): boolean | undefined {
  if (node !== thisProcess().node) return undefined;
  const [pid = "", mark = ""] = epoch.split(".");
  if (!(Number(pid) > 0)) return false; // 0 is the own group, for the system
  try {
    process.kill(Number(pid), 0);
  } catch (thrown) {
    // EPERM: it is there, and belongs to another user.
    if (systemCode(thrown) !== "EPERM") return false;
  }
  const found = markOf(Number(pid));
  return mark === "" || found === "" || mark === found;
}

/** One that an older program has written down by its process alone. */
export function ownerHere(pid: string | number, mark: string): Owner {
  return { node: thisProcess().node, epoch: `${pid}.${mark}` };
}

function epochOf(pid: number): string {
  return `${pid}.${markOf(pid)}`;
}

function nodeId(): string {
  const place = process.platform === "linux" ? [bootId(), processNamespace()] : [hostname()];
  return createHash("sha256").update(place.join(" ")).digest("hex").slice(0, 12);
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return hostname();
  }
}

/** Two containers have two, and the same ids of processes in them. */
function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return hostname();
  }
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
