// The process of the engine pyodide: CPython as WebAssembly, started from a memory snapshot, over a kernel of our own.
// Python speaks with the host itself, through one device; of JavaScript it reaches the kernel's calls and nothing more.

import { lockDown, readOnce } from "./lockdown.ts";
import { createPythonMachine, type PythonMachine } from "./machine.ts";
import type { Device } from "./nodes.ts";
import { createRehearsal } from "./rehearsal.ts";
import { decodeSnapshot, restoreSnapshot } from "./snapshot.ts";

/** What the engine says on the command line. */
export interface PyodideSettings {
  readonly wasm: string;
  readonly library: string;
  readonly snapshot: string;
  /** Beyond what the snapshot itself takes. */
  readonly memoryMb: number;
  readonly scratchMb: number;
  readonly openFiles: number;
  /** The stack that C code inside may use; more of it would need more of the process's own. */
  readonly stackBytes: number;
}

declare const Deno: {
  readonly args: readonly string[];
  readonly stdin: { readSync(buffer: Uint8Array): number | null };
  readonly stdout: { writeSync(bytes: Uint8Array): number };
  exit(code: number): never;
};

/** Thrown through Python when it waits for one more program: its memory is not used any further. */
class RehearsalOver {}

type Transferable = ArrayBuffer & { transfer(bytes: number): ArrayBuffer };

const megabyte = 1024 * 1024;
/** Python has ended in a way that no guest can choose. */
const crashed = 70;
const serve = `
import random
random.seed()
del random
from coordinator_guest.channel import Channel
from coordinator_guest.serve import serve
serve(Channel(3, 3, can_poll=False))
`;

const { stdin, stdout, exit } = Deno;
const settings = JSON.parse(Deno.args[0] as string) as PyodideSettings;
const wasm = readOnce(settings.wasm);
const library = readOnce(settings.library);
const frozen = readOnce(settings.snapshot);
const snapshot = decodeSnapshot(frozen);

const host: Device = {
  read: (target) => stdin.readSync(target) ?? 0,
  write: (source) => stdout.writeSync(source),
};
let connected: Device = host;
const timer = new Int32Array(new SharedArrayBuffer(4));

const machine = createPythonMachine({
  wasm,
  library,
  trampoline: Uint8Array.from(snapshot.header.trampoline.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)),
  memoryBytes: snapshot.header.memoryBytes + settings.memoryMb * megabyte,
  scratchBytes: settings.scratchMb * megabyte,
  openFiles: settings.openFiles,
  env: [],
  diagnostics: (text) => text.length,
  sleep: (milliseconds) => void Atomics.wait(timer, 0, 0, milliseconds),
  // The low bits alone: the others mean the end by a signal.
  exit: (code) => exit(code & 127),
  refuse: () => exit(crashed),
});
machine.kernel.files.createDevice("/dev/host", {
  read: (target) => connected.read(target),
  write: (source) => connected.write(source),
});
machine.kernel.open("/dev/host", 2);
machine.kernel.files.remove(machine.kernel.files.root, "/dev/host", "file");
lockDown();

try {
  rehearse();
  restore(machine);
  // What is not needed any more goes at once, not when JavaScript next looks for garbage: it never will.
  for (const { buffer } of [wasm, frozen]) (buffer as Transferable).transfer(0);
  start(machine);
} catch {
  // The process's own stack has overflowed, or Python's code has: nothing of it can be used any more.
}
exit(crashed);

/** Runs programs with itself as the host; of that nothing stays but compiled code, which the first guest finds. */
function rehearse(): void {
  connected = createRehearsal(() => {
    throw new RehearsalOver();
  });
  restore(machine);
  try {
    start(machine);
  } catch (thrown) {
    if (!(thrown instanceof RehearsalOver)) throw thrown;
  }
  connected = host;
}

function restore({ memory, resetStack }: PythonMachine): void {
  const missing = snapshot.header.memoryBytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(missing / 65536);
  restoreSnapshot(snapshot, new Uint8Array(memory.buffer));
  resetStack();
}

function start({ call, run }: PythonMachine): void {
  const base = call("emscripten_stack_get_base");
  const state = call("PyThreadState_Get");
  call("PyUnstable_ThreadState_SetStackProtection", state, base - settings.stackBytes, settings.stackBytes);
  run(serve);
}
