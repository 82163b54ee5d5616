// The CPU time of a program and all that it starts, those that have ended too: a control group of its own counts it. Needs Linux and root.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";

const [first] = [
  { root: "/sys/fs/cgroup/cpuacct", file: "cpuacct.usage", read: (text) => Number(text) / 1e6 },
  { root: "/sys/fs/cgroup", file: "cpu.stat", read: (text) => Number(/^usage_usec (\d+)$/m.exec(text)?.[1]) / 1e3 },
].filter(({ root, file }) => existsSync(join(root, file)));

/** A group that a command can be started in; `milliseconds()` is what it has used up to now. */
export function openCpuGroup(name) {
  if (first === undefined) throw new Error("No control group counts CPU time here");
  const folder = join(first.root, `bench-${process.pid}-${name}`);
  mkdirSync(folder);
  return {
    /** The same command, started in the group. */
    command: (...words) => ({
      command: "/bin/sh",
      args: ["-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', folder, ...words],
    }),
    milliseconds: () => first.read(readFileSync(join(folder, first.file), "utf8")),
    remove: () => rmdirSync(folder),
  };
}

/** What one process has used up to now, with all its threads and nothing below it. Linux only. */
export function millisecondsOfProcess(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = tasks.map((task) =>
    Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}
