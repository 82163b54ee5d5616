// Run when the package is built, in Deno: starts Python, imports what guests use, and writes the memory snapshot.
import { createPythonMachine } from "./machine.ts";
import { createRehearsal } from "./rehearsal.ts";
import { encodeSnapshot } from "./snapshot.ts";

declare const Deno: {
  readonly args: readonly string[];
  readonly stderr: { writeSync(bytes: Uint8Array): number };
  readFileSync(path: string): Uint8Array;
  readTextFileSync(path: string): string;
  writeFileSync(path: string, bytes: Uint8Array): void;
  exit(code: number): never;
};

/** What the build hands over: paths, and the Python files of the guest as text. */
interface Task {
  readonly wasm: string;
  readonly glue: string;
  readonly library: string;
  readonly version: string;
  readonly start: string;
  readonly guest: Readonly<Record<string, string>>;
  readonly output: string;
}

const task = JSON.parse(Deno.readTextFileSync(Deno.args[0] as string)) as Task;
const trampoline = findTrampoline(Deno.readTextFileSync(task.glue));
const machine = createPythonMachine({
  wasm: Deno.readFileSync(task.wasm),
  library: Deno.readFileSync(task.library),
  trampoline,
  memoryBytes: 512 * 1024 * 1024,
  scratchBytes: 64 * 1024 * 1024,
  openFiles: 64,
  env: ["PYTHONHOME=/", "PYTHONPATH=/lib/python314.zip", "PYTHONDONTWRITEBYTECODE=1", "PYTHONUTF8=1"],
  diagnostics: (bytes) => Deno.stderr.writeSync(bytes),
  sleep: () => {},
  exit: (code) => Deno.exit(code === 0 ? 1 : code),
  refuse: (name) => {
    throw new Error(`Python asked for ${name}`);
  },
});
const { files, open } = machine.kernel;
// The descriptor that is the host's later: here, at its end, nobody is there any more.
files.createDevice(
  "/dev/host",
  createRehearsal(() => 0),
);
open("/dev/host", 2);
files.createFolder(files.root, "/guest", 0o755);
for (const [name, text] of Object.entries(task.guest)) files.provide(`/guest/${name}`, new TextEncoder().encode(text));
machine.call("__wasm_call_ctors");
machine.call("Py_InitializeEx", 0);
if (!machine.run(Deno.readTextFileSync(task.start))) Deno.exit(1);
const memory = new Uint8Array(machine.memory.buffer);
Deno.writeFileSync(task.output, encodeSnapshot(memory, { version: task.version, trampoline: toHex(trampoline) }));

/** The package's own JavaScript, of which nothing else is used, holds this tiny module as hexadecimal digits. */
function findTrampoline(glue: string): Uint8Array {
  const digits = /hexStringToUTF8Array\("((?:[0-9a-f]{2})+)"\)/.exec(glue)?.[1];
  if (!digits) throw new Error("The package pyodide has no trampoline where it is expected");
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
