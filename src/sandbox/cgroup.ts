import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { runProgram } from "../system/run-program.ts";
import type { Limits } from "./engine.ts";

/** Control groups: limits of the kernel on all that one guest uses, where this system lets us set them. */
export interface GuestGroups {
  /** The folders in which guests have theirs: the one that starts a guest puts it into `<folder>/<its name>` of each. */
  readonly folders: readonly string[];
  readonly detail: string;
  /** Makes the groups of one guest. */
  open(name: string): void;
  /** Whether the kernel ended it for its memory. */
  ranOutOfMemory(name: string): boolean;
  /** Removes the groups of a guest that has ended. */
  close(name: string): void;
  /** Removes all of them, as soon as the last process is out. */
  remove(): Promise<void>;
}

const mount = "/sys/fs/cgroup";
const ownName = /^mcp-coordinator-(\d+)-\d+$/;
let opened = 0;
/** Beside its own limit, a guest's memory holds its scratch files, and what a fresh process touches. */
const freshMb = 48;
const removalTries = 50;
const removalPauseMs = 10;

type GroupLimits = Pick<Limits, "memoryMb" | "scratchMb" | "processes">;

interface Hierarchy {
  readonly folder: string;
  readonly settings: readonly (readonly [file: string, value: string, isOptional?: true])[];
}

/** Groups of our own, or undefined where there is no way to make them. Removes those of coordinators that are gone. */
export async function openGuestGroups(limits: GroupLimits): Promise<GuestGroups | undefined> {
  if (process.platform !== "linux") return undefined;
  opened++;
  const hierarchies = findHierarchies(limits);
  if (hierarchies.length === 0) return undefined;
  const groups = createGroups(hierarchies);
  try {
    const probe = "probe";
    groups.open(probe);
    // To have a group is one thing; a process that may move into it is another.
    const joined = groups.folders.map((folder) => join(folder, probe, "cgroup.procs"));
    const moveIn = ["-c", 'for file do echo 0 > "$file" || exit 1; done', "join", ...joined];
    const { code, problem } = await runProgram("/bin/sh", moveIn, { timeoutMs: 10_000 });
    if (code !== 0) throw new Error(problem);
    groups.close(probe);
    return groups;
  } catch {
    await groups.remove(); // it is an additional layer: without it, the others stand
    return undefined;
  }
}

function createGroups(hierarchies: readonly Hierarchy[]): GuestGroups {
  const folders = hierarchies.map(({ folder }) => folder);
  return {
    folders,
    detail: `control groups (${hierarchies.length === 1 ? "v2" : "v1"})`,
    open(name) {
      for (const { folder, settings } of hierarchies) {
        mkdirSync(join(folder, name));
        for (const [file, value, isOptional] of settings) set(join(folder, name, file), value, isOptional);
      }
    },
    ranOutOfMemory: (name) =>
      folders.some((folder) =>
        ["memory.events", "memory.oom_control"].some((file) => /^oom_kill [1-9]/m.test(read(join(folder, name, file)))),
      ),
    close(name) {
      for (const folder of folders) removeGroup(join(folder, name));
    },
    async remove() {
      for (const folder of folders) removeTree(folder);
      for (let tries = 0; tries < removalTries && folders.some((folder) => existsSync(folder)); tries++) {
        await delay(removalPauseMs);
        for (const folder of folders) removeTree(folder);
      }
    },
  };
}

function findHierarchies(limits: GroupLimits): Hierarchy[] {
  const memory = String((limits.memoryMb + limits.scratchMb + freshMb) * 1024 * 1024);
  const processes = String(limits.processes);
  const groupOf = new Map(read("/proc/self/cgroup").split("\n").flatMap(readMembership));
  if (existsSync(join(mount, "cgroup.controllers"))) {
    const folder = delegatedFolder(join(mount, groupOf.get("") ?? "/"));
    if (!folder) return [];
    return [
      {
        folder,
        settings: [
          ["memory.max", memory],
          ["memory.swap.max", "0", true],
          ["pids.max", processes],
        ],
      },
    ];
  }
  const folders = ["memory", "pids"].map((controller) =>
    ownFolder(join(mount, controller, groupOf.get(controller) ?? "/")),
  );
  const [memoryFolder, processFolder] = folders;
  if (!memoryFolder || !processFolder) {
    for (const folder of folders) if (folder) removeTree(folder);
    return [];
  }
  const swap = ["memory.memsw.limit_in_bytes", memory, true] as const;
  return [
    { folder: memoryFolder, settings: [["memory.limit_in_bytes", memory], swap] },
    { folder: processFolder, settings: [["pids.max", processes]] },
  ];
}

/** `4:memory,pids:/some/group`; in the unified hierarchy the controllers' place is empty. */
function readMembership(line: string): [string, string][] {
  const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
  return (controllers ?? "").split(",").map((controller) => [controller, path ?? "/"]);
}

/** The unified hierarchy: the nearest group above ours whose controllers we may hand on. */
function delegatedFolder(from: string): string | undefined {
  for (let parent = from; parent.startsWith(mount); parent = dirname(parent)) {
    const folder = ownFolder(parent);
    if (!folder) continue;
    try {
      writeFileSync(join(folder, "cgroup.subtree_control"), "+memory +pids");
      return folder;
    } catch {
      removeTree(folder);
    }
  }
  return undefined;
}

/** Our folder in a group, if we may make it. */
function ownFolder(parent: string): string | undefined {
  const folder = join(parent, `mcp-coordinator-${process.pid}-${opened}`);
  try {
    sweep(parent);
    mkdirSync(folder, { recursive: true });
    return folder;
  } catch {
    return undefined;
  }
}

function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = ownName.exec(name)?.[1];
    if (owner !== undefined && !existsSync(`/proc/${owner}`)) removeTree(join(parent, name));
  }
}

/** A group's own entries are files that cannot be removed; only the groups in it can, and then itself. */
function removeTree(folder: string): void {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) removeTree(join(folder, entry.name));
    }
  } catch {
    return; // gone already
  }
  removeGroup(folder);
}

function removeGroup(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Its last process may still be on its way out: the next sweep gets it.
  }
}

function set(file: string, value: string, isOptional?: true): void {
  try {
    writeFileSync(file, value);
  } catch (thrown) {
    if (!isOptional) throw thrown;
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
