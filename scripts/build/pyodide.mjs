// Makes dist/guest/pyodide.snapshot: Python's memory with the guest package and the usual
// modules imported, so that a sandbox starts in a fraction of the time. Needs nothing but the packages deno and pyodide.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";

const require = createRequire(import.meta.url);

/** Builds the snapshot of the engine pyodide into the folder. */
export async function buildPyodide(root, folder) {
  const guest = join(root, "src/sandbox/guest");
  const workspace = mkdtempSync(join(tmpdir(), "mcp-coordinator-pyodide-"));
  try {
    const script = join(workspace, "freeze.js");
    await build({
      absWorkingDir: root,
      entryPoints: [join(guest, "pyodide/freeze.ts")],
      outfile: script,
      bundle: true,
      format: "esm",
      platform: "neutral",
      target: "esnext",
    });
    const task = join(workspace, "task.json");
    writeFileSync(task, JSON.stringify(taskOf(guest, join(folder, "pyodide.snapshot"))));
    const flags = ["run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--allow-read", "--allow-write"];
    execFileSync(denoBinary(), [...flags, script, task], { stdio: ["ignore", "inherit", "inherit"] });
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

/** What pyodide/freeze.ts is told. */
function taskOf(guest, output) {
  const pyodide = dirname(require.resolve("pyodide/package.json"));
  const python = join(guest, "python");
  const names = readdirSync(python).filter((name) => name.endsWith(".py"));
  return {
    wasm: join(pyodide, "pyodide.asm.wasm"),
    glue: join(pyodide, "pyodide.asm.mjs"),
    library: join(pyodide, "python_stdlib.zip"),
    version: JSON.parse(readFileSync(join(pyodide, "package.json"), "utf8")).version,
    start: join(guest, "pyodide/start.py"),
    guest: Object.fromEntries(names.map((name) => [name, readFileSync(join(python, name), "utf8")])),
    output,
  };
}

function denoBinary() {
  const target = `${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`;
  const deno = require.resolve("deno/package.json");
  const folder = dirname(createRequire(deno).resolve(`@deno/${target}/package.json`));
  return join(folder, process.platform === "win32" ? "deno.exe" : "deno");
}
