// What Python in WebAssembly can ask of the JavaScript around it: these system calls, and nothing else.
// Every other function that the module would like to import ends the process when it is called.
import { createClock } from "./clock.ts";
import { createDescriptors } from "./descriptors.ts";
import { errno } from "./errno.ts";
import { createFileCalls } from "./file-calls.ts";
import { createFiles, type Files } from "./files.ts";
import { createMemory, type Memory } from "./memory.ts";
import { createPathCalls } from "./path-calls.ts";
import { answer, refuse, wasiCall } from "./system-call.ts";
import { createMappingCalls, createTransferCalls } from "./transfer-calls.ts";

/** The WebAssembly module that runs. */
export interface Machine {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  /** Memory of the module's own allocator. */
  allocate(bytes: number): number;
  signal(handler: number, number: number): void;
}

export interface KernelOptions {
  /** The machine, once there is one: the module wants its imports before that. */
  readonly machine: () => Machine;
  readonly memoryBytes: number;
  readonly scratchBytes: number;
  readonly openFiles: number;
  readonly env: readonly string[];
  readonly sleep: (milliseconds: number) => void;
  readonly exit: (code: number) => never;
}

export interface Kernel {
  readonly files: Files;
  readonly calls: Readonly<Record<string, (...args: never[]) => unknown>>;
  /** Opens a file for the guest, before it runs. */
  open(path: string, flags: number): number;
  changeFolder(path: string): void;
}

const pageBytes = 65536;
const aborted = 70;

export function createKernel(options: KernelOptions): Kernel {
  const files = createFiles(options.scratchBytes);
  const descriptors = createDescriptors(files, options.openFiles);
  const memory = createMemory(() => options.machine().memory);
  return {
    files,
    calls: {
      ...createPathCalls(files, descriptors, memory),
      ...createFileCalls(files, descriptors, memory, options.sleep),
      ...createTransferCalls(files, descriptors, memory),
      ...createMappingCalls(files, descriptors, memory, (bytes) => options.machine().allocate(bytes)),
      ...createClock(memory.view),
      ...createProcessCalls(options, memory),
      ...absentCalls(),
    },
    open: (path, flags) => descriptors.open(files.root, path, flags, 0),
    changeFolder(path) {
      const node = files.find(files.root, path, true);
      if (node.kind === "folder") descriptors.folder = node;
    },
  };
}

/** Memory, chance, the environment, and the ends of the process. */
function createProcessCalls({ machine, memoryBytes, env, exit }: KernelOptions, memory: Memory) {
  const grow = (wanted: number): number => {
    const linear = machine().memory;
    const target = Math.min(memoryBytes, Math.max(wanted >>> 0, linear.buffer.byteLength * 1.1));
    if (wanted >>> 0 > target) return 0;
    try {
      linear.grow(Math.ceil((target - linear.buffer.byteLength) / pageBytes));
      return 1;
    } catch {
      return 0; // the engine has no more: the same to the guest as its limit
    }
  };
  return {
    emscripten_get_heap_max: answer(memoryBytes),
    emscripten_resize_heap: grow,
    random_get: wasiCall((buffer: number, size: number) => {
      const target = memory.piece(buffer, size);
      // The source gives at most this much at once.
      for (let at = 0; at < target.length; at += pageBytes) crypto.getRandomValues(target.subarray(at, at + pageBytes));
    }),
    environ_sizes_get: wasiCall((count: number, size: number) => {
      memory.view().setUint32(count >>> 0, env.length, true);
      const total = env.reduce((sum, line) => sum + line.length + 1, 0);
      memory.view().setUint32(size >>> 0, total, true);
    }),
    environ_get: wasiCall((pointers: number, buffer: number) => {
      let at = buffer >>> 0;
      for (const [index, line] of env.entries()) {
        memory.view().setUint32((pointers >>> 0) + index * 4, at, true);
        memory.put(line, at, line.length + 1);
        at += line.length + 1;
      }
    }),
    _emscripten_get_progname: (buffer: number, room: number) => memory.put("python", buffer, room),
    __syscall_umask_js: answer(0o022),
    __syscall_getuid32_js: answer(0),
    __call_sighandler: (handler: number, number: number) => machine().signal(handler, number),
    _abort_js: () => exit(aborted),
    __assert_fail: () => exit(aborted),
    proc_exit: exit,
    exit,
  };
}

const socketCalls = [
  ...["socket", "bind", "connect", "listen", "accept4", "getpeername", "getsockname", "getsockopt"],
  ...["recvfrom", "recvmsg", "sendto", "sendmsg"],
].map((name) => `__syscall_${name}`);

/** There are no signals from outside, no network, no other process and no further code to load. */
function absentCalls() {
  const nameServerFailed = -4;
  return {
    ...Object.fromEntries(socketCalls.map((name) => [name, refuse(errno.access)])),
    getaddrinfo: answer(nameServerFailed),
    getnameinfo: answer(nameServerFailed),
    getprotobyname: answer(0),
    _emscripten_lookup_name: answer(0),
    _maybe_poll_async: answer(null),
    _maybe_connect_async: answer(null),
    _maybe_recvfrom_async: answer(null),
    _maybe_sendto_async: answer(null),
    _try_fcntl64: answer(0),
    _try_shutdown: answer(0),
    _emscripten_system: refuse(errno.notImplemented),
    _setitimer_js: refuse(errno.notImplemented),
    _dlopen_js: answer(0),
    _dlsym_js: answer(0),
    _Py_CheckEmscriptenSignals_Helper: answer(0),
    _Py_emscripten_runtime: answer(0),
    emscripten_runtime_keepalive_push: answer(undefined),
    emscripten_runtime_keepalive_pop: answer(undefined),
    _emscripten_runtime_keepalive_clear: answer(undefined),
    // Asked for before Python starts, by the bridge to JavaScript that is never built.
    __hiwire_deduplicate_new: answer(null),
  };
}
