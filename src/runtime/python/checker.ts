import type { Library } from "../../catalog/tool.ts";
import { type CheckedModules, createCheckedModules } from "../checks/checked-modules.ts";
import type { Problem } from "../checks/problem.ts";
import { createSerialChecker } from "../checks/serial-checker.ts";
import {
  type CheckContext,
  type Checker,
  type Compiled,
  type Declared,
  type LinkedModules,
  noModules,
} from "../compiled.ts";
import type { UsageOf } from "../own-module.ts";
import { compilePython } from "./compile.ts";
import { importedLibrary } from "./import-statement.ts";
import { type LanguageServer, startLanguageServer } from "./language-server.ts";
import { relevantProblems } from "./relevant-problems.ts";
import { stubbedModules } from "./standard-library.ts";
import { createStubFolder, type StubFolder, sessionModule } from "./stub-folder.ts";
import { withoutBigNumbers } from "./syntax-tree.ts";

export interface PythonCheckerOptions {
  /** The stub of the module `coordinator`. */
  readonly coordinatorStubs: string;
  readonly usageOf?: UsageOf | undefined;
  /** Where the private folder with the stubs is made. */
  readonly folder: string;
  /** The version whose grammar and library guests have. */
  readonly pythonVersion?: string | undefined;
  /** A type can be made to compute for ever; a check that takes this long, 10 s, is given up with its process. */
  readonly timeoutMs?: number;
}

interface Running {
  readonly stubs: StubFolder;
  readonly server: LanguageServer;
  readonly checkedModules: CheckedModules;
  /** What the module `coordinator` has. */
  readonly ownNames: readonly string[];
}

export function createPythonChecker({
  coordinatorStubs,
  usageOf,
  folder,
  pythonVersion = "3.11",
  timeoutMs = 10_000,
}: PythonCheckerOptions): Checker {
  let running: Running | undefined;
  const stop = async (): Promise<void> => {
    const stopping = running;
    running = undefined;
    await stopping?.server.end();
    stopping?.stubs.remove();
  };
  const ownNames = [...coordinatorStubs.matchAll(/^(?:class (\w+):|def (\w+)\()/gm)].map(
    ([, group, name]) => group ?? name ?? "",
  );
  const start = (libraries: readonly Library[], imported: ReadonlySet<string>): Running => {
    const stubs = createStubFolder({ parent: folder, coordinatorStubs, configuration: configuration(pythonVersion) });
    stubs.place(libraries, imported);
    return { stubs, server: startLanguageServer(stubs.path), checkedModules: createCheckedModules(), ownNames };
  };
  return createSerialChecker({
    timeoutMs,
    isRunning: () => running !== undefined,
    async check(source, libraries, context) {
      const compiled = compilePython(source);
      const imported = importedLibraries(compiled, context);
      if (running?.server.hasEnded) await stop();
      const changes = running?.stubs.place(libraries, imported) ?? [];
      if (changes.length > 0) running?.server.filesChanged(changes);
      running ??= start(libraries, imported);
      return check(running, compiled, libraries, { ...context, usageOf });
    },
    stop,
  });
}

async function check(
  { server, stubs, checkedModules, ownNames }: Running,
  { code: source, imports, declared }: Compiled,
  libraries: readonly Library[],
  context: CheckContext,
): Promise<readonly Problem[]> {
  const { kept = [], linked = noModules } = context;
  const modules = moduleTexts(linked);
  // A neighbour with the name of a well-known package would be taken for that one: then nothing is known for sure.
  if ([...modules.keys()].some((name) => stubbedModules().has(name.split(".")[0] ?? ""))) return [];
  const place = modules.size > 0 ? stubs.placeModules(modules) : undefined;
  const diagnose = (text: string) => server.diagnose(withoutBigNumbers(text), place);
  const inModules = await checkedModules.of(linked, { libraries, absent: context.absent }, (module) => {
    const checked = { source: module.code, libraries, ownNames, context: { ...context, kept: [], isModule: true } };
    return relevantProblems({ ...checked, firstLine: "" }, diagnose);
  });
  const isNamed = declared.some(({ name }) => name === "mcp_tools");
  const known = new Set(libraries.map(({ module }) => module));
  const named = imports.filter(({ library }) => isNamed && library !== undefined && known.has(library));
  const first = firstLine(
    kept,
    named.map(({ specifier }) => specifier),
  );
  return [
    ...inModules,
    ...(await relevantProblems({ source, libraries, context, ownNames, firstLine: first }, diagnose)),
  ];
}

/** The libraries that the code, its modules or its session have imported. */
function importedLibraries({ imports }: Compiled, { kept = [], linked = noModules }: CheckContext): Set<string> {
  const inModules = linked.modules.flatMap(({ compiled }) => compiled.imports);
  const found = [
    ...[...imports, ...inModules].map(({ library }) => library),
    ...kept.map(({ from }) => from && importedLibrary(from.specifier)),
  ];
  return new Set(found.filter((module) => module !== undefined));
}

/** The modules that come with the program, by all their names, as pyright reads them. */
function moduleTexts({ modules, links }: LinkedModules) {
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
