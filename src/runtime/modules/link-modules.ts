import type { GuestModule, ImportPolicy, Language, Link } from "../../sandbox/engine.ts";
import { importProblem } from "../../sandbox/import-policy.ts";
import { keepRecent } from "../../system/keep-recent.ts";
import { nearest } from "../../system/nearest.ts";
import { type Problem, problemInModule } from "../checks/problem.ts";
import type { Declared, Import, LinkedModule, LinkedModules } from "../compiled.ts";
import { unreadable } from "../source.ts";
import type { Toolchain } from "../toolchain.ts";
import type { ModuleSource, SourceModule } from "./module-source.ts";

export interface LinkRequest {
  readonly imports: readonly Import[];
  /** What earlier runs of the session have imported. */
  readonly kept: readonly Declared[];
  readonly toolchain: Toolchain;
  /** Where modules are found; the first that has one gives it. */
  readonly sources: readonly ModuleSource[];
  readonly policy: ImportPolicy;
}

const mostModules = 200;
const mostCharacters = 4_000_000;
const mostImports = 2000;

/** Finds what code imports from the sources, and what that imports in turn, and compiles it. Nothing runs. */
export async function linkModules(
  request: LinkRequest,
): Promise<LinkedModules | { readonly problems: readonly Problem[] }> {
  const { sources, toolchain, imports, kept } = request;
  const linker = createLinker(request);
  const links = await linker.link(imports);
  links.push(...(await linker.link(kept.flatMap(keptImport), undefined, { mayFail: true })));
  const modules: LinkedModule[] = [];
  for (let module = linker.next(); module; module = linker.next()) {
    const compiled = await compileModule(module, toolchain);
    if ("problems" in compiled) linker.report(compiled.problems, module);
    else modules.push({ ...module, compiled, links: await linker.link(compiled.imports, module) });
  }
  if (linker.problems.length > 0) return { problems: linker.problems };
  return {
    modules,
    links: [...new Map(links)],
    names: linker.hasMissed() ? await namesIn(sources, toolchain.language) : [],
  };
}

/** Follows imports. What is over the bounds is told once, and nothing more is looked for. */
function createLinker(request: LinkRequest) {
  const found = createFoundModules();
  const problems: Problem[] = [];
  let isFull = false;
  return {
    problems,
    /** Whether an import has led to no module: it may be one that nobody else knows either. */
    hasMissed: found.hasMissed,
    next: () => (isFull ? undefined : found.next()),
    async link(imports: readonly Import[], importer?: SourceModule, { mayFail = false } = {}): Promise<Link[]> {
      const links = new Map<string, string>();
      for (const one of imports) {
        if (isFull) break;
        const followed = await follow(one, importer, request, found);
        for (const [specifier, id] of followed.links) links.set(specifier, id);
        const excess = found.excess();
        isFull = excess !== undefined;
        const message = excess ?? (mayFail ? undefined : followed.message);
        if (message === undefined) continue;
        const problem = { line: one.line, column: one.column, message };
        problems.push(importer ? problemInModule(problem, importer) : problem);
      }
      return [...links];
    },
    report(inModule: readonly Problem[], module: SourceModule): void {
      problems.push(...inModule.map((problem) => problemInModule(problem, module)));
    },
  };
}

type FoundModules = ReturnType<typeof createFoundModules>;

/** The modules that imports have led to, each once, and what they come to. */
function createFoundModules() {
  const names = new Map<string, string>();
  const waiting: SourceModule[] = [];
  let characters = 0;
  let asked = 0;
  let missed = 0;
  return {
    hasMissed: () => missed > 0,
    miss: () => missed++,
    /** What it was first imported as. */
    nameOf: ({ id }: SourceModule) => names.get(id),
    next: () => waiting.shift(),
    countImport: () => asked++,
    add(module: SourceModule, name: string): void {
      if (names.has(module.id)) return;
      names.set(module.id, name);
      characters += module.code.length;
      waiting.push(module);
    },
    excess(): string | undefined {
      if (asked > mostImports) return `The code and its modules have more than ${mostImports} imports`;
      if (names.size > mostModules)
        return `The code imports more than ${mostModules} modules, directly and through others`;
      if (characters > mostCharacters)
        return `The imported modules have more than ${mostCharacters} characters in total`;
      return undefined;
    },
  };
}

async function follow(
  one: Import,
  importer: SourceModule | undefined,
  { sources, toolchain, policy }: LinkRequest,
  modules: FoundModules,
): Promise<{ links: Link[]; message?: string | undefined }> {
  const { language } = toolchain;
  const links: Link[] = [];
  const wanted = language === "python" && importer ? absolute(one, importer, modules.nameOf(importer)) : one;
  for (const specifier of meanings(wanted, language)) {
    if (sources.length === 0 || toolchain.isStandard(specifier)) break;
    modules.countImport();
    const found = await find(sources, specifier, importer);
    if (!found) continue;
    if (found.language !== language) return { links, message: otherLanguage(specifier, found) };
    const denied = found.format === "commonjs" ? importProblem(policy, specifier) : undefined;
    if (denied !== undefined) return { links, message: denied };
    links.push([specifier, found.id]);
    modules.add(found, specifier);
  }
  if (links.length > 0) return { links };
  modules.miss();
  if (importer && language === "python" && wanted.specifier.startsWith(".")) {
    return { links, message: `Cannot find "${one.specifier}" in the package of "${importer.id}".` };
  }
  return { links, message: (await unknownSkill(one, sources, language)) ?? importProblem(policy, one.specifier) };
}

async function namesIn(sources: readonly ModuleSource[], language: Language): Promise<string[]> {
  return (await Promise.all(sources.map((source) => source.names(language)))).flat();
}

async function find(sources: readonly ModuleSource[], specifier: string, importer: SourceModule | undefined) {
  for (const source of sources) {
    const found = await source.find(specifier, importer);
    if (found) return found;
  }
  return undefined;
}

const longestSpecifier = 500;
const pythonName = /^[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*)*$/u;

/**
 * The names that an import may be about. In Python a member may be a module itself, and a package is loaded before what
 * is in it; but a version of a skill does not need the newest one.
 */
function meanings({ specifier, member }: Import, language: Language): string[] {
  if (/^(mcp_tools|coordinator)(?=$|[/.])/.test(specifier) || specifier.length > longestSpecifier) return [];
  if (language === "typescript") return isOdd(specifier) ? [] : [specifier];
  if (!pythonName.test(specifier)) return [];
  const parts = specifier.split(".");
  const holders = parts[0] === "skills" ? [] : parts.slice(0, -1).map((_part, at) => parts.slice(0, at + 1).join("."));
  return [...holders, specifier, ...(member === undefined || member === "*" ? [] : [`${specifier}.${member}`])];
}

/** Python's relative import as the one that it stands for, in a package of modules. */
function absolute(one: Import, importer: SourceModule, name: string | undefined): Import {
  const [dots = ""] = /^\.*/.exec(one.specifier) ?? [];
  const rest = one.specifier.slice(dots.length);
  if (dots === "" || name === undefined) return one;
  const isPackage = /(^|\/)__init__\.py$/.test(importer.id);
  const holder = name.split(".").slice(0, isPackage ? undefined : -1);
  if (dots.length > holder.length) return one;
  const specifier = [...holder.slice(0, holder.length - dots.length + 1), ...(rest ? [rest] : [])].join(".");
  return { ...one, specifier };
}

/** A path that leads somewhere else than it says, or that holds what no name has. */
function isOdd(specifier: string): boolean {
  if (/[\p{Cc}\p{Cs}\\]/u.test(specifier)) return true;
  return !/^\.\.?\//.test(specifier) && specifier.split("/").some((part) => /^\.*$/.test(part));
}

function otherLanguage(specifier: string, { language }: SourceModule): string {
  const names = { typescript: "TypeScript", python: "Python" };
  return `"${specifier}" is written in ${names[language]}: only code of that language can import it.`;
}

async function unknownSkill(
  { specifier, member }: Import,
  sources: readonly ModuleSource[],
  language: Language,
): Promise<string | undefined> {
  const dot = language === "python" ? "." : "/";
  const wanted = specifier === "skills" && member !== undefined && member !== "*" ? `skills${dot}${member}` : specifier;
  if (!wanted.startsWith(`skills${dot}`)) return undefined;
  const names = (await namesIn(sources, language)).filter((name) => name.startsWith("skills/"));
  const close = nearest(
    wanted.slice("skills/".length),
    names.map((name) => name.slice("skills/".length)),
  );
  const hint = close
    ? `Did you mean "skills${dot}${close}"?`
    : "list_skills lists the skills, search_tools finds them.";
  return `Cannot find the skill "${wanted.slice(0, longestSpecifier)}". ${hint}`;
}

function keptImport({ from }: Declared): Import[] {
  if (!from) return [];
  const { specifier, member } = from;
  return [{ specifier, ...(member !== "*" && { member }), line: 1, column: 1 }];
}

type CompileResult = Awaited<ReturnType<Toolchain["compile"]>>;

/** The last ones that were compiled: most modules are the same in the next run. */
const compiledModules = new Map<string, { readonly code: string; readonly result: CompileResult }>();
const mostRemembered = 500;

async function compileModule(module: SourceModule, toolchain: Toolchain): Promise<CompileResult> {
  const { id, code, language, format } = module;
  if (format === "commonjs") return { code, imports: [], declared: [], lineOf: (line) => line };
  const key = `${language} ${id}`;
  const known = compiledModules.get(key);
  if (known?.code === code) return known.result;
  const problem = unreadable(code);
  const result = problem ? { problems: [problem] } : await toolchain.compile(code, { module: true });
  keepRecent(compiledModules, key, { code, result }, mostRemembered);
  return result;
}

/** The modules as the guest gets them. */
export function guestModules({ modules }: LinkedModules): GuestModule[] {
  return modules.map(({ id, compiled: { code }, format, links }) => ({ id, code, ...(format && { format }), links }));
}
