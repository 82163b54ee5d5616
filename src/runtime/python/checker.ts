import type { Library } from "../../catalog/tool.ts";
import { CoordinatorError } from "../../errors.ts";
import type { CheckContext, Checker, Declared, LinkedModules } from "../compiled.ts";
import type { Problem } from "../problem.ts";
import { createVerdicts } from "../verdicts.ts";
import { compilePython } from "./compile.ts";
import { libraryOf } from "./import-statement.ts";
import { type LanguageServer, startLanguageServer } from "./language-server.ts";
import { relevantProblems } from "./relevant-problems.ts";
import { stubbedModules } from "./standard-library.ts";
import { createStubFolder, type StubFolder, sessionModule } from "./stub-folder.ts";
import { withoutBigNumbers } from "./syntax-tree.ts";

export interface PythonCheckerOptions {
  /** The stub of the module `coordinator`. */
  readonly coordinatorStubs: string;
  /** Where the private folder with the stubs is made. */
  readonly folder: string;
  /** The version whose grammar and library guests have. */
  readonly pythonVersion?: string | undefined;
  /** A type can be made to compute for ever; a check that takes this long, 10 s, is given up with its process. */
  readonly timeoutMs?: number;
}

/** The first check reads the stubs of the language itself, which a busy machine may take long for. */
const firstTimeoutMs = 30_000;

export function createPythonChecker({
  coordinatorStubs,
  folder,
  pythonVersion = "3.11",
  timeoutMs = 10_000,
}: PythonCheckerOptions): Checker {
  let running: { readonly stubs: StubFolder; readonly server: LanguageServer } | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  const verdicts = createVerdicts();

  const stop = async (): Promise<void> => {
    const stopping = running;
    running = undefined;
    await stopping?.server.end();
    stopping?.stubs.remove();
  };
  const start = async (libraries: readonly Library[], imported: ReadonlySet<string>) => {
    if (running?.server.hasEnded) await stop();
    if (running) {
      const changes = running.stubs.place(libraries, imported);
      if (changes.length > 0) running.server.filesChanged(changes);
      return running;
    }
    verdicts.clear();
    const stubs = createStubFolder({ parent: folder, coordinatorStubs, configuration: configuration(pythonVersion) });
    stubs.place(libraries, imported);
    running = { stubs, server: startLanguageServer(stubs.path) };
    return running;
  };
  const check = async (
    source: string,
    libraries: readonly Library[],
    context: CheckContext,
  ): Promise<readonly Problem[]> => {
    if (isClosed) throw new CoordinatorError("sandbox_failed", "The type check was closed");
    const { kept = [], linked } = context;
    const { imports, declared } = compilePython(source);
    const inModules = linked?.modules.flatMap(({ compiled }) => compiled.imports) ?? [];
    const imported = new Set(
      [
        ...[...imports, ...inModules].map(({ library }) => library),
        ...kept.map(({ from }) => from && libraryOf(from.specifier)),
      ].filter((module) => module !== undefined),
    );
    const { server, stubs } = await start(libraries, imported);
    const modules = moduleTexts(linked);
    // A neighbour with the name of a well-known package would be taken for that one: then nothing is known for sure.
    if ([...modules.keys()].some((name) => stubbedModules().has(name.split(".")[0] ?? ""))) return [];
    const place = modules.size > 0 ? stubs.placeModules(modules) : undefined;
    const diagnose = (text: string) => server.diagnose(withoutBigNumbers(text), place);
    const problems = linked
      ? await verdicts.of(linked, libraries, (module) => {
          const checked = { source: module.code, libraries, context: { ...context, kept: [], isModule: true } };
          return relevantProblems({ ...checked, firstLine: "" }, diagnose);
        })
      : [];
    const isNamed = declared.some(({ name }) => name === "mcp_tools");
    const known = new Set(libraries.map(({ module }) => module));
    const named = imports.filter(({ library }) => isNamed && library !== undefined && known.has(library));
    const first = firstLine(
      kept,
      named.map(({ specifier }) => specifier),
    );
    return [...problems, ...(await relevantProblems({ source, libraries, context, firstLine: first }, diagnose))];
  };

  return {
    // One at a time: all checks share one process.
    check(source, libraries, context = {}) {
      const checked = queue.then(() => {
        const limitMs = running ? timeoutMs : firstTimeoutMs;
        return withTimeout(check(source, libraries, context), limitMs);
      });
      queue = checked.catch(stop);
      return checked;
    },
    stop: () => {
      queue = queue.then(stop);
      return queue.then(() => {});
    },
    [Symbol.asyncDispose]() {
      isClosed = true;
      return stop();
    },
  };
}

/** The modules that come with the program, by all their names, as pyright reads them. */
function moduleTexts({ modules, links }: LinkedModules = { modules: [], links: [], names: () => [] }) {
  const texts = new Map(modules.map(({ id, code }) => [id, withoutBigNumbers(code)]));
  const all = [...links, ...modules.flatMap((module) => module.links)];
  return new Map(all.flatMap(([name, id]) => (isModule(name) ? [[name, texts.get(id) ?? ""]] : [])));
}

/** Only what tells of failures is computed; `# type: ignore` is read by us, so that it holds for its line alone. */
function configuration(pythonVersion: string) {
  return {
    pythonVersion,
    pythonPlatform: "Linux",
    include: ["mcp_tools"],
    typeCheckingMode: "standard",
    enableTypeIgnoreComments: false,
    useLibraryCodeForTypes: false,
  };
}

/**
 * A line before the guest's own: what its session has kept, with the types of what was imported, and the libraries that
 * it names as attributes of `mcp_tools`.
 */
function firstLine(kept: readonly Declared[], specifiers: readonly string[]): string {
  const statements = kept.flatMap(({ name, from }) => {
    if (name.endsWith(".*") && from && isModule(from.specifier)) return [`from ${from.specifier} import *`];
    if (!isName(name)) return [];
    if (!from || !isModule(from.specifier)) return [`from ${sessionModule} import ${name}`];
    if (from.member !== "*")
      return isName(from.member) ? [`from ${from.specifier} import ${from.member} as ${name}`] : [];
    return [from.specifier.split(".")[0] === name ? `import ${from.specifier}` : `import ${from.specifier} as ${name}`];
  });
  const libraries = specifiers.filter((specifier) => /^mcp_tools\.\w[\w.]*$/.test(specifier));
  return [...statements, ...new Set(libraries.map((specifier) => `import ${specifier}`))].join("; ");
}

const isName = (text: string) => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(text);
const isModule = (text: string) => text.split(".").every(isName);

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
