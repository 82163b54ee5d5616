import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { API, type Diagnostic, type Snapshot } from "typescript/unstable/async";
import type { Library } from "../../catalog/tool.ts";
import { declarations, indexDeclarations } from "../../codegen/declarations.ts";
import { CoordinatorError } from "../../errors.ts";
import type { Link } from "../../sandbox/engine.ts";
import { guardProcessGroup } from "../../system/reaper.ts";
import type { CheckContext, Checker, Declared, LinkedModule, LinkedModules } from "../compiled.ts";
import type { Problem } from "../problem.ts";
import { createVerdicts } from "../verdicts.ts";
import { bareCompiler, compilerMb } from "./bare-compiler.ts";
import { type LinkedSource, linkSource } from "./linked-source.ts";
import { relevantProblems } from "./relevant-problems.ts";

const folder = "/guest";
const main = `${folder}/main.ts`;
const sessionFile = `${folder}/session.d.ts`;
const configFile = `${folder}/tsconfig.json`;
const modulesFolder = `${folder}/modules`;

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
  allowImportingTsExtensions: true,
};

/** What a guest has beside the web's and the language's globals. Node's modules and packages are there, untyped. */
const globals = `
declare const process: any, Buffer: any, global: any, setImmediate: any, clearImmediate: any;
declare const Deno: { readonly args: readonly string[]; readonly test: any };
declare module "node:*";
declare module "package:*";
`;

/** A type can be made to compute for ever; a check that takes this long is given up with its process. */
const timeoutMs = 10_000;
/** The first one has the compiler to start as well, on a machine that may be busy. */
const firstTimeoutMs = 30_000;

export function createTypeScriptChecker(coordinatorModule: string, cacheFolder: string): Checker {
  const files: VirtualFiles = new Map();
  const libraryFiles = new Map<string, Library>();
  const verdicts = createVerdicts();
  let compiler: Compiler | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const start = (): Compiler => {
    files.clear();
    libraryFiles.clear();
    verdicts.clear();
    files.set(configFile, JSON.stringify({ compilerOptions, files: ["globals.d.ts", "session.d.ts", "main.ts"] }));
    files.set(`${folder}/globals.d.ts`, globals);
    files.set(`${folder}/coordinator.d.ts`, coordinatorModule);
    files.set(`${folder}/mcp_tools/index.d.ts`, indexDeclarations([]));
    files.set(sessionFile, "");
    files.set(main, "");
    const tsserverPath = bareCompiler(join(compilerFolder(), compilerName), cacheFolder);
    const api = new API({ cwd: folder, fs: virtualFiles(files), tsserverPath });
    const ended = new Promise<never>((_resolve, reject) => {
      void guardCompiler(api, () => reject(new Error("the compiler ended")));
    });
    ended.catch(() => {}); // between two checks nobody waits for it
    return { api, ended };
  };
  const stop = async (): Promise<void> => {
    const stopping = compiler;
    compiler = undefined;
    if (stopping) await endCompiler(stopping.api);
  };
  const check = async (
    compiler: Compiler,
    source: string,
    libraries: readonly Library[],
    { kept = [], linked = noModules }: CheckContext,
  ): Promise<readonly Problem[]> => {
    const isNew = compiler.snapshot === undefined;
    const changes = placeLibraries(files, libraryFiles, libraries);
    const place = (path: string, text: string): void => {
      const before = files.get(path);
      if (before === text) return;
      files.set(path, text);
      changes[before === undefined ? "created" : "changed"].push(path);
    };
    const specifier = specifierOf(linked);
    const guest = linkSource(source, linked.links, specifier);
    const modules = new Map<LinkedModule, LinkedSource>();
    for (const module of linked.modules) {
      if (module.format === "commonjs") continue;
      const text = linkSource(module.code, module.links, specifier);
      modules.set(module, text);
      place(pathOf(module.id), text.text);
    }
    place(sessionFile, sessionDeclarations(kept, linked.links, specifier));
    files.set(main, guest.text);
    const snapshot = await compiler.api.updateSnapshot(
      isNew ? { openProjects: [configFile] } : { fileChanges: { ...changes, changed: [main, ...changes.changed] } },
    );
    compiler.snapshot?.dispose().catch(() => {}); // the compiler was stopped meanwhile
    compiler.snapshot = snapshot;
    const program = snapshot.getProject(configFile)?.program;
    if (!program) throw new CoordinatorError("sandbox_failed", "The type check did not start");
    const problemsIn = async (
      path: string,
      text: string,
      { offsetOf }: LinkedSource,
      keptNames: readonly Declared[],
    ) => {
      const found = await Promise.all([program.getSyntacticDiagnostics(path), program.getSemanticDiagnostics(path)]);
      const [syntactic, semantic] = found.map((all) => all.map((one) => asWritten(one, offsetOf)));
      const context = { libraries, kept: keptNames, names: linked.names };
      return relevantProblems(text, syntactic ?? [], semantic ?? [], context);
    };
    const inModules = await verdicts.of(linked, libraries, (module) =>
      problemsIn(pathOf(module.id), module.code, modules.get(module) ?? guest, []),
    );
    return [...inModules, ...(await problemsIn(main, source, guest, kept))];
  };

  return {
    // One at a time: all checks share one file.
    check(source, libraries, context = {}) {
      const attempt = async () => {
        if (isClosed) throw new CoordinatorError("sandbox_failed", "The type check was closed");
        const limitMs = compiler ? timeoutMs : firstTimeoutMs;
        compiler ??= start();
        return withTimeout(Promise.race([check(compiler, source, libraries, context), compiler.ended]), limitMs);
      };
      const checked = queue.then(attempt).catch(async (thrown: unknown) => {
        await stop();
        // A compiler that died over an earlier check is no fault of this one.
        if (thrown instanceof CoordinatorError || isClosed) throw thrown;
        return attempt().catch((again: unknown) => {
          throw again instanceof CoordinatorError || isClosed ? again : compilerEnded(again);
        });
      });
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

const noModules: LinkedModules = { modules: [], links: [], names: () => [] };

/** Where a module's text is for the compiler. */
function pathOf(id: string): string {
  return `${modulesFolder}/${encodeURIComponent(id)}.ts`;
}

/** The id in a path as `pathOf` makes them; a text of the guest may only look like one. */
function idOf(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** How the compiler finds modules: packages have no types. */
function specifierOf({ modules }: LinkedModules): (id: string) => string {
  const packages = new Set(modules.flatMap(({ id, format }) => (format === "commonjs" ? [id] : [])));
  return (id) => (packages.has(id) ? `package:${id}` : pathOf(id));
}

/** What the compiler says of a text with linked imports, said of the author's. */
function asWritten(diagnostic: Diagnostic, offsetOf: LinkedSource["offsetOf"]): Diagnostic {
  const { pos, end, text, messageChain } = diagnostic;
  return {
    ...diagnostic,
    pos: offsetOf(pos),
    end: offsetOf(end),
    text: text.replace(/\/guest\/modules\/([\w.!~*()%-]+?)(?:\.ts)?(?=["'])/g, (path, id) => idOf(id) ?? path),
    ...(messageChain && { messageChain: messageChain.map((next) => asWritten(next, (offset) => offset)) }),
  };
}

/** What a session has kept, as globals: an import with its type, of all else the name. */
function sessionDeclarations(
  kept: readonly Declared[],
  links: readonly Link[],
  specifierOf: (id: string) => string,
): string {
  const meaning = new Map(links);
  return kept
    .map(({ name, from, isType }) => {
      if (isType) return `type ${name} = any;\n`;
      if (!from) return `declare var ${name}: any;\n`;
      const member = from.member === "*" ? "" : `[${JSON.stringify(from.member)}]`;
      const id = meaning.get(from.specifier);
      const module = `import(${JSON.stringify(id === undefined ? from.specifier : specifierOf(id))})`;
      return `declare var ${name}: ${member === "" ? `typeof ${module}` : `(typeof ${module})${member}`};\n`;
    })
    .join("");
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
  const folders = new Set(["/", folder, modulesFolder, `${folder}/mcp_tools`]);
  const own = join(compilerFolder(), "lib.").replaceAll("\\", "/");
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

const compilerName = process.platform === "win32" ? "tsc.exe" : "tsc";

/** Where the compiler is, and the types of the language beside it. */
function compilerFolder(): string {
  const typescript = createRequire(import.meta.url).resolve("typescript/package.json");
  const program = `@typescript/typescript-${process.platform}-${process.arch}/package.json`;
  return join(dirname(createRequire(typescript).resolve(program)), "lib");
}

/** It ends by itself when it has no more memory, and hardly for another reason. */
function compilerEnded(cause: unknown): CoordinatorError {
  return new CoordinatorError("check_timeout", `The type check needed more than ${compilerMb} MB of memory`, {
    hint: "Simplify the types in the code; nothing has run.",
    cause,
  });
}

async function withTimeout<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(
        new CoordinatorError("check_timeout", `The type check took longer than ${limitMs / 1000} seconds`, {
          hint: "Simplify the types in the code; nothing has run.",
        }),
      );
    }, limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface Compiler {
  readonly api: API;
  /** Rejects when the process has ended, of which the API says nothing to those who wait. */
  readonly ended: Promise<never>;
  snapshot?: Snapshot;
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

/** Makes sure that the compiler does not outlive us, from its first moment on: the API starts it with the first request. */
async function guardCompiler(api: API, onEnd: () => void): Promise<void> {
  for (let turn = 0; turn < 1000; turn++) {
    const process = compilerProcess(api);
    if (process?.pid !== undefined) {
      process.once("exit", onEnd);
      return void process.once("exit", guardProcessGroup(process.pid));
    }
    await delay(1);
  }
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
