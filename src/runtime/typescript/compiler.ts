import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Diagnostic } from "typescript/unstable/async";
import { CoordinatorError } from "../../errors.ts";
import type { ProgramToStart } from "../../system/running-program.ts";
import { startLanguageProgram } from "../language-program.ts";
import { configFile, type GuestProject } from "./guest-project.ts";

/** The compiler as a process that sees a project, its own library and nothing else of the disk. */
export interface Compiler {
  /** Takes in what has changed in the project since the last time; then its files can be asked for what is wrong. */
  update(): Promise<Program>;
  /** Rejects when the process has ended. */
  readonly ended: Promise<never>;
  end(): Promise<void>;
}

interface Program {
  getSyntacticDiagnostics(path: string): Promise<readonly Diagnostic[]>;
  getSemanticDiagnostics(path: string): Promise<readonly Diagnostic[]>;
}

/** What it answers of its API (typescript/unstable/async), as far as we read it. */
interface SnapshotAnswer {
  readonly snapshot: number;
  readonly projects: readonly { readonly id: string }[];
}

/** The memory of the compiler; a type can be made to need any amount. Its garbage collector works harder from two thirds on. */
export const compilerMb = 768;

export function startCompiler(project: GuestProject): Compiler {
  const home = compilerFolder();
  const answers = fileAnswers(project, home);
  const compiler = startLanguageProgram({
    program: limited(join(home, process.platform === "win32" ? "tsc.exe" : "tsc"), [
      ...["--api", "--async", "--cwd", "/guest"],
      `--callbacks=${Object.keys(answers).join(",")}`,
    ]),
    answer: (method, path) => answers[method]?.(String(path)) ?? null,
    failure: (words, cause) => new Error(`the compiler ${words}`, { cause }),
  });
  const ready = compiler.started.then(() => compiler.request("initialize", null));
  ready.catch(() => {}); // who asks for an update is told
  let last: number | undefined;
  return {
    async update() {
      await ready;
      const fileChanges = project.takeChanges();
      const request = last === undefined ? { openProjects: [configFile] } : { fileChanges };
      const { snapshot, projects } = (await compiler.request("updateSnapshot", request)) as SnapshotAnswer;
      const [opened] = projects;
      if (!opened) throw new CoordinatorError("sandbox_failed", "The type check did not start");
      if (last !== undefined) compiler.request("release", { snapshot: last }).catch(() => {}); // it was stopped meanwhile
      last = snapshot;
      const ask = async (method: string, file: string): Promise<readonly Diagnostic[]> =>
        ((await compiler.request(method, { snapshot, project: opened.id, file })) ?? []) as readonly Diagnostic[];
      return {
        getSyntacticDiagnostics: (path) => ask("getSyntacticDiagnostics", path),
        getSemanticDiagnostics: (path) => ask("getSemanticDiagnostics", path),
      };
    },
    ended: compiler.ended,
    end: compiler.end,
  };
}

/** What it asks of files, by method. Null lets it look at the disk, which it may for its own library alone. */
function fileAnswers(project: GuestProject, home: string): Readonly<Record<string, (path: string) => unknown>> {
  const own = join(home, "lib.").replaceAll("\\", "/");
  const isOwn = (path: string) => path.startsWith(own) && path.endsWith(".d.ts");
  return {
    readFile: (path) => (isOwn(path) ? null : { content: project.read(path) ?? null }),
    fileExists: (path) => (isOwn(path) ? null : project.has(path)),
    directoryExists: (path) => project.folders.has(path),
    getAccessibleEntries: () => ({ files: [], directories: [] }),
    realpath: (path) => path,
  };
}

/** Where the compiler is, and the types of the language beside it. */
function compilerFolder(): string {
  const typescript = createRequire(import.meta.url).resolve("typescript/package.json");
  const program = `@typescript/typescript-${process.platform}-${process.arch}/package.json`;
  return join(dirname(createRequire(typescript).resolve(program)), "lib");
}

/** With a limit of memory, and without our environment: it reads what guests write. */
function limited(compiler: string, args: readonly string[]): ProgramToStart {
  const env = { GOMEMLIMIT: `${Math.round((compilerMb * 2) / 3)}MiB` };
  if (process.platform === "win32") return { file: compiler, args, env };
  const script = `ulimit -d ${compilerMb * 1024} 2>/dev/null; exec "$0" "$@"`;
  return { file: "/bin/sh", args: ["-c", script, compiler, ...args], env };
}
