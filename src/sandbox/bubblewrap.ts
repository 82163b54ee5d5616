import { realpath } from "node:fs/promises";
import { runProgram } from "../system/run-program.ts";
import type { FindProgram } from "./engine.ts";
import type { Architecture } from "./system-calls.ts";

/** Every namespace of its own, no capability, nobody's user id, and an end with its parent. */
const namespaces = [
  ...["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"],
  ...["--cap-drop", "ALL", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox"],
  ...["--die-with-parent", "--new-session", "--clearenv"],
];

export interface BubblewrapView {
  /** Host files that the sandbox may read, by their place inside. */
  readonly readable: ReadonlyMap<string, string>;
  /** The same for folders that it may write to. */
  readonly writable?: ReadonlyMap<string, string>;
  /** Symbolic links inside, by their place. */
  readonly links: ReadonlyMap<string, string>;
  readonly env: ReadonlyMap<string, string>;
  readonly scratchBytes: number;
  /** Where the command's system call filter is read from (see seccomp.ts): a pipe, written again for each start. */
  readonly filterDescriptor?: number;
  /** Folders inside that look empty, whatever is in them. */
  readonly hidden?: readonly string[];
  /** Whether the command makes namespaces itself, as a fork server does, and needs /proc for that; a guest must not. */
  readonly makesNamespaces?: boolean;
  /** Whether the command is a usual program, which wants /proc and the harmless devices. */
  readonly hasDevices?: boolean;
}

const harmlessDevices = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"].flatMap((path) => [
  "--dev-bind",
  path,
  path,
]);

/** The arguments before the command: the sandbox sees the view and a private scratch folder, nothing else. */
export function bubblewrapArguments(view: BubblewrapView): string[] {
  const binds = [...view.readable].flatMap(([inside, outside]) => ["--ro-bind", outside, inside]);
  const links = [...view.links].flatMap(([inside, target]) => ["--symlink", target, inside]);
  const variables = [...view.env].flatMap(([name, value]) => ["--setenv", name, value]);
  const hidden = (view.hidden ?? []).flatMap((inside) => ["--tmpfs", inside, "--remount-ro", inside]);
  const nesting = view.makesNamespaces
    ? ["--proc", "/proc", "--dev-bind", "/dev/null", "/dev/null"]
    : ["--disable-userns", "--unshare-cgroup-try"];
  const devices = view.hasDevices ? ["--proc", "/proc", ...harmlessDevices] : [];
  const filter = view.filterDescriptor === undefined ? [] : ["--seccomp", String(view.filterDescriptor)];
  const scratch = ["--size", String(view.scratchBytes), "--tmpfs", "/tmp", "--chdir", "/tmp"];
  const writable = [...(view.writable ?? [])].flatMap(([inside, outside]) => ["--bind", outside, inside]);
  // The scratch folder first: what is bound may lie below it.
  const files = [...scratch, ...binds, ...writable, ...hidden, ...links, ...nesting, ...devices, "--remount-ro", "/"];
  return [...namespaces, ...variables, ...files, ...filter, "--"];
}

const timeoutMs = 10_000;
const working = new Set<string>();

/** Why bubblewrap cannot make a sandbox here, or undefined when it can: tried for real until it works once. */
export async function bubblewrapProblem(bubblewrap: string): Promise<string | undefined> {
  if (working.has(bubblewrap)) return undefined;
  const everything = ["--disable-userns", "--unshare-cgroup-try", "--ro-bind", "/", "/", "--"];
  const { code, problem } = await runProgram(bubblewrap, [...namespaces, ...everything, "/bin/true"], { timeoutMs });
  if (code !== 0) return problem;
  working.add(bubblewrap);
  return undefined;
}

/** What sandboxes are made with. */
interface SandboxTools {
  readonly bubblewrap: string;
  /** Which system call filters hold here. */
  readonly architecture: Architecture;
}

/** What sandboxes are made with here, or why there is nothing. Whether it works `bubblewrapProblem` tells. */
export function findSandboxTools(findProgram: FindProgram): SandboxTools | string {
  const { platform, arch: architecture } = process;
  if (platform !== "linux") return `${platform} has no bubblewrap`;
  if (architecture !== "x64" && architecture !== "arm64") return `there is no system call filter for ${architecture}`;
  const bubblewrap = findProgram("bwrap");
  return bubblewrap === undefined ? "bubblewrap (bwrap) is not installed" : { bubblewrap, architecture };
}

/** The same, when it works. */
export async function workingSandboxTools(findProgram: FindProgram): Promise<SandboxTools | string> {
  const tools = findSandboxTools(findProgram);
  return typeof tools === "string" ? tools : ((await bubblewrapProblem(tools.bubblewrap)) ?? tools);
}

/** The shared libraries that a program needs, so that it can start where there is nothing else. */
export async function sharedLibraries(program: string): Promise<Map<string, string>> {
  const { code, stdout, problem } = await runProgram("ldd", [program], { timeoutMs });
  if (code !== 0) throw new Error(`ldd ${program}: ${problem}`);
  const paths = stdout.match(/\/\S+/g) ?? [];
  return new Map(await Promise.all(paths.map(async (path) => [path, await realpath(path)] as const)));
}
