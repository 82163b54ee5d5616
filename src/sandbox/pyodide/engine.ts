import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { CoordinatorError } from "../../errors.ts";
import { packageFile } from "../../system/package-file.ts";
import { createLockedDeno, type LockedDenoOptions, type LockedScript } from "../deno/locked-deno.ts";
import type { Engine, Limits } from "../engine.ts";
import type { PyodideSettings } from "../guest/pyodide/main.ts";

/** V8's own reserve, Python's code and memory as they are at the start, and the files that it starts from. */
const reservedMb = 1000;
/** A start takes half a second of CPU time. */
const reservedSeconds = 1;
const stackMb = 64;
/** How much more of the process's stack than of Python's own a call of C code takes, at worst. */
const stackRatio = 32;

/** Of the package's version, 314.0.7, the first part. */
const pythonVersion = "3.14";

/** CPython as WebAssembly, in a Deno without permissions: needs nothing but npm packages. */
export function createPyodideEngine(options: LockedDenoOptions): Engine {
  return {
    name: "pyodide",
    language: "python",
    isAutomatic: true,
    takesPackages: false, // what is installed is machine code of this machine
    waiting: 1,
    version: async () => pythonVersion,
    ...createLockedDeno(options, async () => pythonScript(options.limits)),
  };
}

function pythonScript(limits: Limits): LockedScript {
  const folder = pyodideFolder();
  const snapshot = packageFile("dist/guest/pyodide.snapshot");
  checkSnapshot(snapshot, join(folder, "package.json"));
  return {
    engine: "pyodide",
    layer: "CPython as WebAssembly in Deno without permissions",
    script: packageFile("dist/guest/pyodide.js"),
    files: new Map([
      ["python.wasm", join(folder, "pyodide.asm.wasm")],
      ["python.zip", join(folder, "python_stdlib.zip")],
      ["python.snapshot", snapshot],
    ]),
    // Text never becomes JavaScript in there, no matter who asks.
    v8Flags: ["--disallow-code-generation-from-strings"],
    argument: (places, stackBytes) => {
      const place = (name: string): string => places.get(name) as string;
      const settings: PyodideSettings = {
        wasm: place("python.wasm"),
        library: place("python.zip"),
        snapshot: place("python.snapshot"),
        memoryMb: limits.memoryMb,
        scratchMb: limits.scratchMb,
        openFiles: limits.openFiles,
        stackBytes: Math.floor(stackBytes / stackRatio),
      };
      return JSON.stringify(settings);
    },
    reservedMb,
    reservedSeconds,
    stackMb,
    crashes: new Map([[70, "Python itself crashed: its stack overflowed, or its C code gave up"]]),
  };
}

function pyodideFolder(): string {
  try {
    return dirname(createRequire(import.meta.url).resolve("pyodide/package.json"));
  } catch (cause) {
    throw new CoordinatorError("engine_unavailable", 'The engine "pyodide" cannot run here: its package is missing', {
      hint: "Install mcp-coordinator again, with its dependencies.",
      cause,
    });
  }
}

/** A snapshot fits the version that it was made with, and no other. */
function checkSnapshot(snapshot: string, manifest: string): void {
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const found = snapshotVersion(snapshot);
  if (found === version) return;
  throw new CoordinatorError(
    "engine_unavailable",
    `The engine "pyodide" cannot run here: its package is of version ${version}, its snapshot of ${found ?? "none"}`,
    { hint: "Install mcp-coordinator again, with the exact versions of its dependencies." },
  );
}

function snapshotVersion(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const file = openSync(path, "r");
  try {
    const start = Buffer.alloc(4096);
    readSync(file, start);
    return /"version":"([^"]*)"/.exec(start.toString("latin1"))?.[1];
  } finally {
    closeSync(file);
  }
}
