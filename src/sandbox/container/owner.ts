import { readlinkSync } from "node:fs";
import type { Owner } from "../../system/owner.ts";

/** The coordinator that a container belongs to, as a text. The last part tells apart what is one owner's. */
export function ownerText({ pid, mark }: Owner, part: string): string {
  return `${pid}.${mark}.${processNamespace()}.${part}`;
}

/** The owner of that text; undefined when it is not for us to say whether it lives: its ids are of another namespace. */
export function readOwner(text: string): Owner | undefined {
  const [, pid, mark, namespace] = /^(\d+)\.(\d*)\.(\d*)\.\w+$/.exec(text.trim()) ?? [];
  return pid !== undefined && mark !== undefined && namespace === processNamespace()
    ? { pid: Number(pid), mark }
    : undefined;
}

function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid").replace(/\D/g, "");
  } catch {
    return ""; // no Linux, and then no containers either
  }
}
