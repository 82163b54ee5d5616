import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { API, type Diagnostic, type Snapshot } from "typescript/unstable/async";
import type { Library } from "../catalog/tool.ts";
import { declarations, indexDeclarations } from "../codegen/declarations.ts";
import { CoordinatorError } from "../errors.ts";
import { guardProcessGroup } from "../upstream/reaper.ts";
import type { Problem } from "./problem.ts";
import { relevantProblems } from "./relevant-problems.ts";

/** Finds what would go wrong in guest code, before it runs. */
export interface Checker extends AsyncDisposable {
  check(source: string, libraries: readonly Library[]): Promise<readonly Problem[]>;
  /** Ends the compiler process; the next check starts one. */
  stop(): Promise<void>;
}

const folder = "/guest";
const main = `${folder}/main.ts`;
const configFile = `${folder}/tsconfig.json`;

/** Strict, because only then are types exact; what is a matter of style is left out afterwards. */
const compilerOptions = {
  target: "esnext",
  module: "preserve",
  moduleResolution: "bundler",
  moduleDetection: "force",
  lib: ["esnext", "webworker"],
  types: [],
  strict: true,
  useUnknownInCatchVariables: false,
  noEmit: true,
  paths: { "*": ["./*"] },
};

/** What a guest has beside the web's and the language's globals. Node's modules are there, untyped. */
const globals = `
declare const process: any, Buffer: any, global: any, setImmediate: any, clearImmediate: any;
declare module "node:*";
`;

/** A type can be made to compute for ever; a check that takes this long is given up with its process. */
const timeoutMs = 10_000;

export function createTypeScriptChecker(coordinatorModule: string): Checker {
  const files: VirtualFiles = new Map();
  const libraryFiles = new Map<string, Library>();
  let compiler: { api: API; snapshot?: Snapshot } | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const start = (): { api: API; snapshot?: Snapshot } => {
    files.clear();
    libraryFiles.clear();
    files.set(configFile, JSON.stringify({ compilerOptions, files: ["globals.d.ts", "main.ts"] }));
    files.set(`${folder}/globals.d.ts`, globals);
    files.set(`${folder}/coordinator.d.ts`, coordinatorModule);
    files.set(`${folder}/mcp_tools/index.d.ts`, indexDeclarations([]));
    files.set(main, "");
    return { api: new API({ cwd: folder, fs: virtualFiles(files) }) };
  };
  const stop = async (): Promise<void> => {
    const stopping = compiler;
    compiler = undefined;
    if (stopping) await endCompiler(stopping.api);
  };
  const check = async (source: string, libraries: readonly Library[]): Promise<readonly Problem[]> => {
    if (isClosed) throw new CoordinatorError("sandbox_failed", "The type check was closed");
    const isNew = compiler === undefined;
    compiler ??= start();
    const changes = placeLibraries(files, libraryFiles, libraries);
    files.set(main, source);
    const snapshot = await compiler.api.updateSnapshot(
      isNew ? { openProjects: [configFile] } : { fileChanges: { ...changes, changed: [main, ...changes.changed] } },
    );
    if (isNew) guardCompiler(compiler.api);
    compiler.snapshot?.dispose().catch(() => {}); // the compiler was stopped meanwhile
    compiler.snapshot = snapshot;
    const program = snapshot.getProject(configFile)?.program;
    if (!program) throw new CoordinatorError("sandbox_failed", "The type check did not start");
    const found = await Promise.all([program.getSyntacticDiagnostics(main), program.getSemanticDiagnostics(main)]);
    const [syntactic, semantic] = found as [readonly Diagnostic[], readonly Diagnostic[]];
    return relevantProblems(source, syntactic, semantic, libraries);
  };

  return {
    // One at a time: all checks share one file.
    check(source, libraries) {
      const checked = queue.then(() => withTimeout(check(source, libraries)));
      queue = checked.catch(stop);
      return checked;
    },
    stop: () => queue.then(stop),
    [Symbol.asyncDispose]() {
      isClosed = true;
      return stop();
    },
  };
}

type VirtualFiles = Map<string, string | (() => string)>;

/** Puts the libraries' types in place, written when they are read; returns what differs from the last check. */
function placeLibraries(files: VirtualFiles, placed: Map<string, Library>, libraries: readonly Library[]) {
  const changes = { created: [] as string[], changed: [] as string[], deleted: [] as string[] };
  const wanted = new Map(libraries.map((library) => [`${folder}/mcp_tools/${library.module}.d.ts`, library]));
  for (const path of placed.keys()) {
    if (wanted.has(path)) continue;
    placed.delete(path);
    files.delete(path);
    changes.deleted.push(path);
  }
  for (const [path, library] of wanted) {
    const before = placed.get(path);
    if (before === library) continue;
    changes[before ? "changed" : "created"].push(path);
    placed.set(path, library);
    files.set(path, () => declarations(library));
  }
  return changes;
}

/** The compiler sees these files and its own library, nothing else of the disk. */
function virtualFiles(files: VirtualFiles) {
  const folders = new Set(["/", folder, `${folder}/mcp_tools`]);
  const own = compilerLibrary();
  const isOwn = (path: string) => path.startsWith(own) && path.endsWith(".d.ts");
  return {
    readFile: (path: string) => {
      const text = files.get(path) ?? (isOwn(path) ? undefined : null);
      return typeof text === "function" ? text() : text;
    },
    fileExists: (path: string) => files.has(path) || (isOwn(path) ? undefined : false),
    directoryExists: (path: string) => folders.has(path),
    getAccessibleEntries: () => ({ files: [], directories: [] }),
    realpath: (path: string) => path,
  };
}

/** Where the compiler keeps the types of the language: `lib.*.d.ts` beside its program. */
function compilerLibrary(): string {
  const typescript = createRequire(import.meta.url).resolve("typescript/package.json");
  const program = `@typescript/typescript-${process.platform}-${process.arch}/package.json`;
  return join(dirname(createRequire(typescript).resolve(program)), "lib", "lib.").replaceAll("\\", "/");
}

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(
        new CoordinatorError("check_timeout", `The type check took longer than ${timeoutMs / 1000} seconds`, {
          hint: "Simplify the types in the code; nothing has run.",
        }),
      );
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface CompilerProcess {
  readonly pid?: number;
  readonly stdin: { write(...args: unknown[]): boolean };
  kill(signal: string): void;
  once(event: "exit", listener: () => void): void;
}

/** The API keeps its process to itself; we must see to it that it ends. */
function compilerProcess(api: API): CompilerProcess | undefined {
  return (api as unknown as { client: { process?: CompilerProcess } }).client.process;
}

/** Makes sure that the compiler does not outlive us. */
function guardCompiler(api: API): void {
  const process = compilerProcess(api);
  if (process?.pid !== undefined) process.once("exit", guardProcessGroup(process.pid));
}

/** The API ends its process by closing its stdin, which a compiler that is busy does not notice; so it is killed. */
async function endCompiler(api: API): Promise<void> {
  const process = compilerProcess(api);
  process?.kill("SIGKILL");
  // What the API still has to say to it goes nowhere, instead of failing where nobody can catch it.
  if (process) {
    process.stdin.write = (...args) => {
      const done = args.at(-1);
      if (typeof done === "function") done();
      return true;
    };
  }
  await (api as unknown as { client: { close(): Promise<void> } }).client.close();
}
