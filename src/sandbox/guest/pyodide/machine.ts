// Python's WebAssembly module with the kernel under it, and nothing else of the JavaScript around it within its reach.
import { createKernel, type Kernel, type KernelOptions, type Machine } from "./kernel.ts";

interface ImportDescriptor {
  readonly module: string;
  readonly name: string;
  readonly kind: "function" | "global" | "memory" | "table";
}
type Module = object;
type Exports = Readonly<Record<string, unknown>>;

/** The part of WebAssembly that is used here; the project's compiler settings know none of it. */
declare const WebAssembly: {
  readonly Module: {
    new (bytes: Uint8Array): Module;
    imports(module: Module): readonly ImportDescriptor[];
  };
  readonly Instance: new (module: Module, imports: object) => { readonly exports: Exports };
  readonly Global: new (type: { value: "i32"; mutable: true }, value: number) => { value: number };
};

interface Table {
  readonly length: number;
  get(index: number): (...args: number[]) => number;
  grow(by: number): number;
  set(index: number, value: unknown): void;
}

export interface PythonMachine {
  readonly kernel: Kernel;
  readonly memory: Machine["memory"];
  /** Calls a C function of Python that takes and gives numbers. */
  call(name: string, ...args: number[]): number;
  /** Runs Python source in `__main__`; false when it raised. */
  run(source: string): boolean;
  /** As at the start: for when what was on the stack is given up. */
  resetStack(): void;
}

export interface MachineOptions extends Omit<KernelOptions, "machine"> {
  readonly wasm: Uint8Array;
  /** A tiny module that calls functions through the table whatever number of arguments they take. */
  readonly trampoline: Uint8Array;
  /** The standard library, as the zip file of the package. */
  readonly library: Uint8Array;
  /** Takes what Python's C code writes to stdout and stderr. */
  readonly diagnostics: (text: Uint8Array) => number;
  readonly refuse: (name: string) => never;
}

/** Where the standard library lies; the snapshot remembers it. */
const libraryPath = "/lib/python314.zip";

export function createPythonMachine(options: MachineOptions): PythonMachine {
  const module = new WebAssembly.Module(options.wasm);
  let machine: Machine | undefined;
  const kernel = createKernel({
    ...options,
    machine: () => machine as Machine,
  });
  const imports: Record<string, Record<string, unknown>> = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    // Globals are addresses of functions of the browser's graphics: none.
    imports[from][name] =
      kind === "global"
        ? new WebAssembly.Global({ value: "i32", mutable: true }, 0)
        : (kernel.calls[name] ?? (() => options.refuse(name)));
  }
  const { exports } = new WebAssembly.Instance(module, imports);
  const call = (name: string, ...args: number[]): number =>
    (exports[name] as (...args: number[]) => number)(...args) >>> 0;
  const memory = exports["memory"] as Machine["memory"];
  const table = exports["__indirect_function_table"] as Table;
  machine = {
    memory,
    allocate: (bytes) => call("emscripten_builtin_memalign", 65536, bytes),
    signal: (handler, number) => void table.get(handler)(number),
  };
  call("emscripten_stack_init");
  addTrampoline(options.trampoline, table, memory, exports);
  furnish(kernel, options);
  const stackPointer = exports["__stack_pointer"] as { value: number };
  const stackTop = stackPointer.value;
  return {
    kernel,
    memory,
    call,
    run(source) {
      const bytes = new TextEncoder().encode(`${source}\0`);
      const pointer = call("malloc", bytes.length);
      new Uint8Array(memory.buffer).set(bytes, pointer);
      const failed = call("PyRun_SimpleString", pointer);
      call("free", pointer);
      return failed === 0;
    },
    resetStack() {
      stackPointer.value = stackTop;
    },
  };
}

/** The files that Python expects, and its three standard streams. */
function furnish({ files, open, changeFolder }: Kernel, { library, diagnostics }: MachineOptions): void {
  for (const folder of ["/lib", "/lib/python3.14", "/dev", "/tmp"]) files.createFolder(files.root, folder, 0o755);
  files.provide(libraryPath, library);
  files.createDevice("/dev/null", { read: () => 0, write: (text) => text.length });
  files.createDevice("/dev/stderr", { read: () => 0, write: diagnostics });
  open("/dev/null", 0);
  open("/dev/stderr", 1);
  open("/dev/stderr", 1);
  changeFolder("/tmp");
}

function addTrampoline(bytes: Uint8Array, table: Table, memory: Machine["memory"], exports: Exports): void {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), {
    env: { __indirect_function_table: table, memory },
  });
  const index = table.grow(1);
  table.set(index, instance.exports["trampoline_call"]);
  const address = (name: string): number => (exports[name] as { value: number }).value >>> 0;
  const heap = new DataView(memory.buffer);
  const offset = heap.getInt32(address("_PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET"), true);
  heap.setInt32(address("_PyRuntime") + offset, index, true);
}
