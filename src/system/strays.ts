import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";

/**
 * A variable in the environment of every server. What a server starts inherits it, so that a daemon that has left the
 * server's process group is found again, where the system shows the environment of processes (Linux).
 */
export const markName = "MCP_COORDINATOR_MARK";

/** The part that all servers of this process have in common. */
export const ownMark = randomUUID();

let servers = 0;

/** A mark for one server. */
export function createMark(): string {
  return `${ownMark}.${++servers}`;
}

/** Ends every process that carries the mark, and what those have started meanwhile. */
export async function endStrays(mark: string): Promise<void> {
  if (process.platform !== "linux") return;
  for (let rounds = 0; rounds < 5; rounds++) {
    const pids = await marked(mark);
    for (const pid of pids) kill(pid);
    if (pids.length === 0) return;
  }
}

async function marked(mark: string): Promise<number[]> {
  const entry = Buffer.from(`${markName}=${mark}\0`);
  const names = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    names.map(async (name) => {
      // Of another user, or gone: neither is ours. One that has ended but was not collected shows nothing.
      const environment = await readFile(`/proc/${name}/environ`).catch(() => undefined);
      return environment?.includes(entry) ? [Number(name)] : [];
    }),
  );
  return found.flat();
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}
