import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type ContainerEngineOptions, createContainerEngine } from "../../src/sandbox/container/engine.ts";
import { ownerText } from "../../src/sandbox/container/owner-label.ts";
import { ownerLabel } from "../../src/sandbox/container/run-arguments.ts";
import { denoBinary } from "../../src/sandbox/deno/binary.ts";
import type { Engine, GuestPorts, Limits, Outcome, Program, Sandbox } from "../../src/sandbox/engine.ts";
import { isAlive, thisProcess } from "../../src/system/owner.ts";
import { bundle, survivors } from "../../src/upstream/test-servers.fixture.ts";
import { containerAbsence, containerImage } from "../container-image.ts";

// The engine `container`, judged by its effects inside real containers. Needs root, podman and debootstrap.

const limits: Limits = {
  memoryMb: 128,
  cpuSeconds: 20,
  processes: 24,
  openFiles: 128,
  scratchMb: 8,
  outputBytes: 100_000,
  toolCalls: 1000,
  parallelToolCalls: 4,
};
const findProgram = (name: string): string | undefined => (name === "podman" ? "/usr/bin/podman" : undefined);
const work = mkdtempSync(join(tmpdir(), "container-test-"));
const ports: GuestPorts = {
  call: async ({ args }) => JSON.stringify(args),
  operation: async () => "null",
  print: () => {},
};
let image: string;
let python: Engine;

const podman = (...args: string[]): string => execFileSync("podman", args, { encoding: "utf8" }).trim();
const ours = (pid = process.pid): string[] =>
  podman("ps", "--all", "--format", "{{.Names}}", "--filter", `name=^mcp-coordinator-${pid}-`)
    .split("\n")
    .filter(Boolean);
const firstProcess = (name: string): number => Number(podman("inspect", "--format", "{{.State.Pid}}", name));
const engineOf = (options: Partial<ContainerEngineOptions> = {}) =>
  createContainerEngine({ language: "python", limits, findProgram, image, owner: thisProcess(), isAlive, ...options });
const programOf = (code: string): Program => ({
  code,
  libraries: [{ server: "echo", module: "echo", tools: [["say", "say"]] }],
  modules: [],
  operations: [],
  imports: { allow: ["*"], deny: [] },
});
async function run(code: string, engine = python): Promise<Outcome> {
  const sandbox = await engine.start();
  try {
    return await sandbox.run(programOf(code), ports, { timeoutMs: 20_000 });
  } finally {
    sandbox.kill();
    if (engine !== python) await engine.rest?.();
  }
}

const absence = containerAbsence();
beforeEach(({ skip }) => skip(absence !== undefined, absence));

beforeAll(() => {
  if (absence !== undefined) return;
  image = containerImage();
  python = engineOf();
}, 180_000);

afterAll(async () => {
  rmSync(work, { recursive: true });
  if (absence !== undefined) return;
  await python.rest?.();
  expect(ours()).toEqual([]);
});

test("a guest is nobody, without capabilities, environment, network or a way to more", async () => {
  const outcome = await run(`
import os, socket
status = dict(line.rstrip().split(":\\t", 1) for line in open("/proc/self/status") if ":\\t" in line)
capabilities = {status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}
try:
    socket.create_connection(("192.0.2.1", 80), 1)
    network = "open"
except OSError:
    network = "closed"
{
    "user": [os.getuid(), os.getgid(), os.getgroups()],
    "capabilities": sorted(capabilities),
    "privileges": [status["NoNewPrivs"], status["Seccomp"]],
    "environment": open("/proc/self/environ").read(),
    "interfaces": sorted(line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line),
    "network": network,
    "names": [socket.gethostname(), os.path.exists("/etc/hosts"), os.path.exists("/etc/resolv.conf")],
    "others": sorted(name for name in os.listdir("/proc") if name.isdigit()),
}`);
  expect(outcome).toEqual({
    end: "ok",
    value: {
      user: [65534, 65534, [65534]],
      capabilities: ["0000000000000000"],
      privileges: ["1", "2"],
      environment: "",
      interfaces: ["lo"],
      network: "closed",
      names: ["sandbox", false, false],
      others: ["1"],
    },
  });
});

test("namespaces, mounts, other processes, key rings and sockets of the kernel are refused to a guest", async () => {
  const outcome = await run(`
import ctypes, errno, os, platform, socket, subprocess, threading
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *args):
    ctypes.set_errno(0)
    given = getattr(libc, name)(*args)
    return "done" if given >= 0 else errno.errorcode[ctypes.get_errno()]
arm = platform.machine() == "aarch64"
numbers = {
    "ptrace": 117 if arm else 101, "keyctl": 219 if arm else 250, "bpf": 280 if arm else 321,
    "perf_event_open": 241 if arm else 298, "userfaultfd": 282 if arm else 323, "process_vm_readv": 270 if arm else 310,
    "personality": 92 if arm else 135, "open_tree": 428, "io_uring_setup": 425, "pidfd_open": 434, "memfd_secret": 447,
}
clone = 220 if arm else 56
namespaces = [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]
def open_socket(family, kind):
    try:
        socket.socket(family, kind).close()
        return "done"
    except OSError as error:
        return errno.errorcode[error.errno]
thread = threading.Thread(target=lambda: None)
thread.start()
{
    "unshare": {call("unshare", flag) for flag in namespaces} == {"EPERM"},
    "clone": {call("syscall", clone, flag | 17, 0, 0, 0, 0) for flag in namespaces} == {"ENOSYS"},
    "clone3": call("syscall", 435, None, 0),
    "mount": call("mount", b"tmpfs", b"/tmp", b"tmpfs", 0, None),
    "unmount": call("umount2", b"/tmp", 2),
    "numbers": {name: call("syscall", number, 0, 0, 0, 0, 0) for name, number in numbers.items()},
    "sockets": [open_socket(16, 3), open_socket(17, 3), open_socket(38, 5), open_socket(40, 1)],
    "own": [open_socket(1, 1), open_socket(2, 1), subprocess.run(["id", "-u"], capture_output=True).returncode],
}`);
  expect(outcome).toEqual({
    end: "ok",
    value: {
      unshare: true,
      clone: true,
      clone3: "ENOSYS",
      mount: "EPERM",
      unmount: "EPERM",
      numbers: Object.fromEntries(
        ["ptrace", "keyctl", "bpf", "perf_event_open", "userfaultfd", "process_vm_readv", "personality"]
          .concat("open_tree", "io_uring_setup", "pidfd_open", "memfd_secret")
          .map((name) => [name, "EPERM"]),
      ),
      sockets: ["ENOSYS", "ENOSYS", "ENOSYS", "ENOSYS"],
      own: ["done", "done", 0],
    },
  });
});

test("a TypeScript guest has the same filter, and neither language is shown where the coordinator is installed", async () => {
  const engine = engineOf({ language: "typescript" });
  const sandbox = await engine.start();
  const pid = firstProcess(ours()[0] as string);
  const [status, mounts] = ["status", "mountinfo"].map((name) => readFileSync(`/proc/${pid}/${name}`, "utf8"));
  sandbox.kill();
  await engine.rest?.();
  expect(status).toMatch(/^Seccomp:\t2\nSeccomp_filters:\t1$/m);
  const pythonMounts = await run('open("/proc/self/mountinfo").read()');
  const installed = fileURLToPath(new URL("../..", import.meta.url));
  for (const text of [mounts, pythonMounts.end === "ok" ? String(pythonMounts.value) : ""]) {
    expect(text).toMatch(/ \/guest(\.js)? ro/);
    for (const folder of [installed, realpathSync(denoBinary()), homedir()]) expect(text).not.toContain(folder);
  }
});

test("a guest writes nowhere but to its scratch folder, and runs nothing from there", async () => {
  const outcome = await run(`
import os, subprocess
def attempt(action):
    try:
        action()
        return "done"
    except OSError as error:
        return os.strerror(error.errno)
def write(folder):
    with open(folder + "/file", "w") as file:
        file.write("#!/bin/sh\\n")
    os.chmod(folder + "/file", 0o755)
folders = [root for root, _, _ in os.walk("/") if os.access(root, os.W_OK) and not root.startswith("/proc/")]
[
    {folder: attempt(lambda: write(folder)) for folder in ["/", "/etc", "/run", "/var/tmp", "/guest", "/tmp"]},
    attempt(lambda: subprocess.run(["/tmp/file"])),
    sorted(folders),
]`);
  const refused = "Read-only file system";
  expect(outcome).toEqual({
    end: "ok",
    value: [
      { "/": refused, "/etc": refused, "/run": refused, "/var/tmp": refused, "/guest": refused, "/tmp": "done" },
      "Permission denied",
      ["/dev/mqueue", "/tmp"],
    ],
  });
});

test("the limits of scratch space, processes and open files hold for the whole container", async () => {
  const outcome = await run(`
import os, signal
def until_refused(action, most):
    for count in range(most):
        try:
            action()
        except OSError as error:
            return [count, os.strerror(error.errno)]
    return [most, "never refused"]
def fork():
    if os.fork() == 0:
        signal.pause()
file = open("/tmp/big", "wb", buffering=0)
[
    until_refused(lambda: file.write(bytes(1024 * 1024)), 64),
    until_refused(lambda: os.open("/dev/null", os.O_RDONLY), 1000)[1],
    until_refused(fork, 1000),
]`);
  expect(outcome).toMatchObject({
    end: "ok",
    value: [[8, "No space left on device"], "Too many open files", [23, "Resource temporarily unavailable"]],
  });
});

test("memory and CPU time are counted over all processes of a container", async () => {
  const inChildren = (work: string) => `
import os
for _ in range(3):
    if os.fork() == 0:
        ${work}
        os._exit(0)
${work}`;
  const memory = await run(`${inChildren("kept = b'x' * 60_000_000")}
statuses = [os.waitstatus_to_exitcode(os.wait()[1]) for _ in range(3)]
statuses`);
  // The kernel ends whoever is over the limit: the guest's first process, or one of its children.
  if (memory.end === "ok") expect(memory.value).toContain(-9);
  else expect(memory).toEqual({ end: "limit", limit: "memory" });
  expect(await run(inChildren("while True: pass"), engineOf({ limits: { ...limits, cpuSeconds: 2 } }))).toEqual({
    end: "limit",
    limit: "cpu",
  });
});

test("one guest's memory is its own: it may have all of it, and no more", async () => {
  expect(await run("kept = b'x' * (120 * 1024 * 1024)\nlen(kept)")).toEqual({ end: "ok", value: 125829120 });
  expect(await run("kept = b'x' * (170 * 1024 * 1024)\nlen(kept)")).toEqual({ end: "limit", limit: "memory" });
});

test("a container that waits answers a run and its calls", async () => {
  const engine = engineOf({ language: "typescript" });
  const cold = performance.now();
  const sandbox = await engine.start();
  const warm = performance.now();
  const rounds = `const t = performance.now(); for (let i = 0; i < 200; i++) await m.say({ i }); return (performance.now() - t) / 200`;
  const empty = await sandbox.run(programOf("async () => 1"), ports, { timeoutMs: 10_000 });
  const answered = performance.now();
  const calls = await sandbox.run(
    programOf(`async (load) => { const m = await load("mcp_tools/echo"); ${rounds} }`),
    ports,
    {
      timeoutMs: 20_000,
    },
  );
  sandbox.kill();
  await engine.rest?.();
  expect([empty, calls]).toEqual([
    { end: "ok", value: 1 },
    { end: "ok", value: expect.any(Number) },
  ]);
  const perCall = calls.end === "ok" ? (calls.value as number) : Number.NaN;
  console.info(
    `container: first start ${(warm - cold).toFixed(0)} ms, warm run ${(answered - warm).toFixed(1)} ms, call ${perCall.toFixed(2)} ms`,
  );
});

test("modules are those of the image", async () => {
  const names = await python.modules?.();
  expect(names).toBeInstanceOf(Set);
  expect(names?.has("json")).toBe(false);
});

test("containers of owners that are gone are removed at the start, those of others stay", async () => {
  const dead = spawn("/bin/true");
  await once(dead, "exit");
  const create = (owner: string) => podman("create", "--label", `${ownerLabel}=${owner}`, image, "true");
  const gone = ownerText({ ...thisProcess(), epoch: `${dead.pid}.1` }, "x");
  const stale = create(gone);
  const foreign = create(ownerText({ node: "0123456789ab", epoch: `${dead.pid}.1` }, "x"));
  const living = create(ownerText(thisProcess(), "x"));
  try {
    await engineOf().isolation();
    const left = podman("ps", "--all", "--quiet", "--no-trunc", "--filter", `label=${ownerLabel}`).split("\n");
    expect(left).not.toContain(stale);
    expect(left).toEqual(expect.arrayContaining([foreign, living]));
  } finally {
    podman("rm", "--force", "--ignore", stale, foreign, living);
  }
});

test("a kill ends the guest at once and leaves nothing, whenever it comes", async () => {
  const engine = engineOf();
  const sandbox = await engine.start();
  const pid = firstProcess(ours()[0] as string);
  await new Promise<void>((isUp) => {
    const spinning = programOf("print('up')\nwhile True: pass");
    void sandbox.run(spinning, { ...ports, print: () => void isUp() as undefined }, { timeoutMs: 60_000 });
  });
  sandbox.kill();
  expect(await survivors([pid], 500)).toEqual([]);
  for (const afterMs of [0, 40, 120, 200]) {
    const giveUp = new AbortController();
    const starting = engine.start(giveUp.signal);
    setTimeout(() => giveUp.abort(), afterMs);
    await starting.then((early: Sandbox) => early.kill()).catch(() => {});
  }
  await engine.rest?.();
  expect(ours()).toEqual([]);
});

test("no process is left two seconds after the coordinator was killed, whatever its guests do, and then no container", async () => {
  const host = bundle(`
    import { createContainerEngine } from "../sandbox/container/engine.ts";
    import { isAlive, thisProcess } from "../system/owner.ts";
    const options = JSON.parse(process.argv[2]);
    const findProgram = () => "/usr/bin/podman";
    const engine = createContainerEngine({ ...options, language: "python", findProgram, owner: thisProcess(), isAlive });
    const ports = { call: async () => "1", operation: async () => "1", print: (_, text) => console.log(text.trim()) };
    for (const code of ["print('up')\\nwhile True: pass", "print('up')\\nimport time\\ntime.sleep(600)"]) {
      const sandbox = await engine.start();
      sandbox.run({ code, libraries: [], modules: [], operations: [], imports: { allow: ["*"], deny: [] } }, ports, { timeoutMs: 600000 });
    }
    await engine.start();
  `);
  try {
    const child = spawn(process.execPath, [host, JSON.stringify({ limits, image })], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, TMPDIR: work },
    });
    const lines = createInterface({ input: child.stdout });
    await once(lines, "line");
    await once(lines, "line");
    const names = ours(child.pid);
    expect(names.length).toBeGreaterThanOrEqual(2);
    const pids = names.map(firstProcess).filter(Boolean);
    const owner = podman("inspect", "--format", `{{index .Config.Labels "${ownerLabel}"}}`, names[0] as string);
    podman("create", "--name", `mcp-coordinator-${child.pid}-half`, "--label", `${ownerLabel}=${owner}`, image, "true");
    child.kill("SIGKILL");
    expect(await survivors(pids, 2000)).toEqual([]);
    await expect.poll(() => ours(child.pid), { timeout: 10_000, interval: 50 }).toEqual([]);
  } finally {
    rmSync(host);
  }
});

test("without a container runtime, or with one that does not work, the error says why and has the fix", async () => {
  const refusal = (options: Partial<ContainerEngineOptions>) =>
    engineOf(options)
      .start()
      .then(
        () => undefined,
        ({ code, message, hint }) => ({ code, message, hint }),
      );
  expect(await refusal({ findProgram: () => undefined })).toEqual({
    code: "engine_unavailable",
    message: 'The engine "container" cannot run here: podman is not installed; docker is not installed',
    hint: "Install podman (apt-get install podman), best used without root, or choose another engine.",
  });
  const deaf = program("deaf", 'echo "Cannot connect to the daemon" >&2; exit 1');
  expect(await refusal({ runtime: "docker", findProgram: () => deaf })).toMatchObject({
    code: "engine_unavailable",
    message: 'The engine "container" cannot run here: docker does not work (Cannot connect to the daemon)',
  });
});

test("an image that is not there is never pulled; the error has the command that builds it", async () => {
  await expect(
    engineOf({ image: undefined, runtime: "podman", findProgram: withoutImages() }).start(),
  ).rejects.toMatchObject({
    code: "engine_unavailable",
    message: 'The engine "container" cannot run here: podman has no image "mcp-coordinator-sandbox"',
    hint: expect.stringMatching(/^Build it: podman build --tag mcp-coordinator-sandbox \/.*\/container$/),
  });
  await expect(engineOf({ image: "localhost/no-such-image" }).start()).rejects.toMatchObject({
    code: "engine_unavailable",
    hint: expect.stringContaining('Build or pull the image "localhost/no-such-image" with podman'),
  });
});

test.each([
  ["--memory", "a memory limit"],
  ["--pids-limit", "a limit on processes"],
  ["--network", "no network"],
  ["--security-opt", "no new privileges"],
  ["--cap-drop", "no capabilities"],
  ["--tmpfs", "a scratch folder of limited size"],
])("a container runtime that ignores %s is refused", async (flag, promise) => {
  // Stands between us and podman and leaves the flag and its value out.
  const careless = program(
    "careless",
    `for word do
  shift
  if [ "$skip" = yes ]; then skip=no; continue; fi
  case $word in ${flag} | ${flag}-swap) skip=yes; continue ;; esac
  set -- "$@" "$word"
done
exec podman "$@"`,
  );
  await expect(engineOf({ runtime: "podman", findProgram: () => careless }).start()).rejects.toMatchObject({
    code: "engine_unavailable",
    message: expect.stringContaining(`podman does not give its containers ${promise}`),
  });
});

test("a container runtime that puts its own system call filter in the place of ours is refused, in both languages", async () => {
  const careless = program(
    "own-filter",
    `for word do
  shift
  case $word in seccomp=*) word=label=disable ;; esac
  set -- "$@" "$word"
done
exec podman "$@"`,
  );
  for (const language of ["python", "typescript"] as const) {
    await expect(engineOf({ language, runtime: "podman", findProgram: () => careless }).start()).rejects.toMatchObject({
      code: "engine_unavailable",
      message: expect.stringMatching(/podman does not give its containers the system call filter$/),
    });
  }
});

test("where the refusal was, a later start tries again", async () => {
  let installed = false;
  const engine = engineOf({ findProgram: (name) => (installed ? findProgram(name) : undefined) });
  await expect(engine.isolation()).rejects.toMatchObject({ code: "engine_unavailable" });
  installed = true;
  expect(await engine.isolation()).toEqual({ layer: "os", detail: `A container of podman as root, from "${image}"` });
});

function program(name: string, script: string): string {
  const path = join(work, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** podman with an empty store of its own. */
function withoutImages(): () => string {
  const store = `--root '${work}/root' --runroot '${work}/runroot' --storage-driver vfs`;
  const path = program("empty", `exec podman ${store} "$@"`);
  return () => path;
}
