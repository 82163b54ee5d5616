import { readlinkSync } from "node:fs";

/** The coordinator that a container belongs to. */
export interface Owner {
  readonly pid: number;
  /** Tells it from a later process with the same pid. */
  readonly mark: string;
}

/** The last part tells apart what is one owner's. */
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
