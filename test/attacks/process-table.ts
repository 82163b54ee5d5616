import { readdirSync, readFileSync } from "node:fs";

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  readonly command: string;
}

function processes(): Process[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, parent, , session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
      return state === "Z" ? [] : [{ pid: Number(name), parent: Number(parent), session: Number(session), command }];
    } catch {
      return []; // it ended while we looked
    }
  });
}

/** Every process below the gateway, and those of its containers, which are nobody's children. */
export function processesOf(gateway: number): readonly number[] {
  const all = processes();
  const found = new Set<number>();
  const visit = (pid: number): void => {
    for (const process of all) {
      if (process.parent !== pid || found.has(process.pid)) continue;
      found.add(process.pid);
      visit(process.pid);
    }
  };
  visit(gateway);
  for (const { pid, command } of all) {
    if (!command.includes(`mcp-coordinator-${gateway}-`) || found.has(pid)) continue;
    found.add(pid);
    visit(pid);
  }
  return [...found];
}

/**
 * The processes below the gateway that may belong to a run: all but the fork servers, of which there may be more,
 * and the upstreams, which come and go. Those are children of the gateway; a guest's process is not.
 */
export function runProcesses(gateway: number): readonly Process[] {
  const all = new Map(processes().map((process) => [process.pid, process]));
  const below = processesOf(gateway).flatMap((pid) => all.get(pid) ?? []);
  const forks = below.filter(({ command }) => command.endsWith(" fork-server "));
  const isOutside = (pid: number) => pid === gateway || /^\S*bwrap /.test(all.get(pid)?.command ?? "");
  // A guest has a session of its own; a fork server shares its one with what it starts for itself.
  const servers = forks.filter(({ pid, parent }) => isOutside(pid) || isOutside(parent));
  const sessions = new Set(servers.map(({ session }) => session));
  const isUpstream = ({ parent, command }: Process) => parent === gateway && command.includes("/attacks/server.mjs ");
  const isForkServer = (process: Process) => forks.includes(process) && sessions.has(process.session);
  return below.filter((process) => !isUpstream(process) && !isForkServer(process));
}

/** Every process on the machine with a word on its command line. */
export function processesWith(word: string): readonly number[] {
  return processes().flatMap(({ pid, command }) => (command.includes(word) ? [pid] : []));
}

/** What a process holds in memory; nothing when it is gone. */
export function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
