import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/**
 * The memory of a process and all below it, those in sandboxes too: [{ name, megabytes }]. PSS: a page that several
 * processes share counts by its share, so a machine full of other Node and Deno programs shows less. Linux only.
 */
export function memoryOfTree(root) {
  const processes = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(Number(pid)));
  const tree = new Set([root]);
  for (let size = 0; size !== tree.size; ) {
    size = tree.size;
    for (const { pid, parent } of processes) if (tree.has(parent)) tree.add(pid);
  }
  return processes
    .filter(({ pid }) => tree.has(pid))
    .flatMap(({ pid, name }) => unlessEnded(() => [{ name, megabytes: proportionalMegabytes(pid) }]));
}

function readProcess(pid) {
  return unlessEnded(() => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const field = (name) => new RegExp(`^${name}:\\s+(.*)$`, "m").exec(status)?.[1] ?? "";
    return field("State").startsWith("Z") ? [] : [{ pid, parent: Number(field("PPid")), name: field("Name") }];
  });
}

/** Nothing when the process has ended since the folder was read. */
function unlessEnded(read) {
  try {
    return read();
  } catch {
    return [];
  }
}

function proportionalMegabytes(pid) {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) / 1024;
}

/** The most memory (RSS) that a process has had at once since `forgetPeak`. Linux only. */
export function peakMegabytes(pid) {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

export function forgetPeak(pid) {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
