import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { API, type Diagnostic, type Snapshot } from "typescript/unstable/async";
import { CoordinatorError } from "../../errors.ts";
import { guardProcessGroup } from "../../system/reaper.ts";
import { replaceFileSync } from "../../system/replace-file.ts";
import { configFile, type GuestProject } from "./guest-project.ts";

/** The compiler as a process that sees a project, its own library and nothing else of the disk. */
export interface Compiler {
  /** Takes in what has changed in the project since the last time; then its files can be asked for what is wrong. */
  update(): Promise<Program>;
  /** Rejects when the process has ended, of which its API says nothing to those who wait. */
  readonly ended: Promise<never>;
  end(): Promise<void>;
}

interface Program {
  getSyntacticDiagnostics(path: string): Promise<readonly Diagnostic[]>;
  getSemanticDiagnostics(path: string): Promise<readonly Diagnostic[]>;
}

/** The memory of the compiler; a type can be made to need any amount. Its garbage collector works harder from two thirds on. */
export const compilerMb = 768;

export function startCompiler(project: GuestProject, cacheFolder: string): Compiler {
  const home = compilerFolder();
  const tsserverPath = bareCompiler(join(home, process.platform === "win32" ? "tsc.exe" : "tsc"), cacheFolder);
  const api = new API({ cwd: "/guest", fs: fileSystem(project, home), tsserverPath });
  const ended = new Promise<never>((_resolve, reject) => {
    void guardCompiler(api, () => reject(new Error("the compiler ended")));
  });
  ended.catch(() => {}); // between two checks nobody waits for it
  let snapshot: Snapshot | undefined;
  return {
    async update() {
      const fileChanges = project.takeChanges();
      const next = await api.updateSnapshot(snapshot ? { fileChanges } : { openProjects: [configFile] });
      snapshot?.dispose().catch(() => {}); // the compiler was stopped meanwhile
      snapshot = next;
      const program = next.getProject(configFile)?.program;
      if (!program) throw new CoordinatorError("sandbox_failed", "The type check did not start");
      return program;
    },
    ended,
    end: () => endCompiler(api),
  };
}

function fileSystem(project: GuestProject, home: string) {
  const own = join(home, "lib.").replaceAll("\\", "/");
  const isOwn = (path: string) => path.startsWith(own) && path.endsWith(".d.ts");
  return {
    readFile: (path: string) => project.read(path) ?? (isOwn(path) ? undefined : null),
    fileExists: (path: string) => project.has(path) || (isOwn(path) ? undefined : false),
    directoryExists: (path: string) => project.folders.has(path),
    getAccessibleEntries: () => ({ files: [], directories: [] }),
    realpath: (path: string) => path,
  };
}

/** Where the compiler is, and the types of the language beside it. */
function compilerFolder(): string {
  const typescript = createRequire(import.meta.url).resolve("typescript/package.json");
  const program = `@typescript/typescript-${process.platform}-${process.arch}/package.json`;
  return join(dirname(createRequire(typescript).resolve(program)), "lib");
}

/**
 * A program in the folder that starts the compiler with a limit of memory and without our environment. The compiler's API
 * would pass on all of it, secrets included, to a process that reads what guests write.
 */
function bareCompiler(compiler: string, folder: string): string {
  if (process.platform === "win32") return compiler;
  const file = join(folder, "compiler.sh");
  const quoted = `'${compiler.replaceAll("'", "'\\''")}'`;
  const variables = `GOMEMLIMIT=${Math.round((compilerMb * 2) / 3)}MiB`;
  const script = `#!/bin/sh\nulimit -d ${compilerMb * 1024} 2>/dev/null\nexec /usr/bin/env -i ${variables} ${quoted} "$@" 2>/dev/null\n`;
  if (read(file) === script) return file;
  // Moved into place whole: a shell may be reading the one that is there.
  replaceFileSync(file, script, { mode: 0o700 });
  return file;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // not there yet
  }
}

interface ApiClient {
  readonly process?: {
    readonly pid?: number;
    readonly stdin: { write(...args: unknown[]): boolean };
    kill(signal: string): void;
    once(event: "exit", listener: () => void): void;
  };
  close(): Promise<void>;
}

/** The API keeps its process to itself; we must see to it that it ends. */
function clientOf(api: API): ApiClient {
  return (api as unknown as { client: ApiClient }).client;
}

/** Makes sure that the compiler does not outlive us, from its first moment on: the API starts it with the first request. */
async function guardCompiler(api: API, onEnd: () => void): Promise<void> {
  for (let turn = 0; turn < 1000; turn++) {
    const { process } = clientOf(api);
    if (process?.pid !== undefined) {
      process.once("exit", onEnd);
      return void process.once("exit", guardProcessGroup(process.pid));
    }
    await delay(1);
  }
}

/** The API ends its process by closing its stdin, which a compiler that is busy does not notice; so it is killed. */
async function endCompiler(api: API): Promise<void> {
  const client = clientOf(api);
  client.process?.kill("SIGKILL");
  // What the API still has to say to it goes nowhere, instead of failing where nobody can catch it.
  if (client.process) {
    client.process.stdin.write = (...args) => {
      const done = args.at(-1);
      if (typeof done === "function") done();
      return true;
    };
  }
  await client.close();
}
