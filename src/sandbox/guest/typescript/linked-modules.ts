import type { GuestModule, Link } from "../../engine.ts";

type Exports = Readonly<Record<string, unknown>>;
/** An import of the guest or of a module: `names` are those the statement asks for. */
export type Load = (specifier: unknown, names?: readonly string[]) => Promise<Exports>;

interface Evaluation {
  readonly id: string;
  readonly exports: Record<string, unknown>;
  /** The modules that this one's code waits for at the moment. */
  readonly waitsFor: Set<Evaluation>;
  isDone: boolean;
  done: Promise<void>;
}

export interface LinkedModulesOptions {
  readonly modules: readonly GuestModule[];
  /** What no link says: libraries, our own modules, the language's. */
  readonly load: (specifier: string) => Promise<Exports>;
  /** The language's modules for CommonJS, which cannot wait. */
  readonly require: (specifier: string) => unknown;
}

/**
 * Modules whose code comes with the program: each is evaluated once, by its first import. Modules that import each other
 * see what the other has up to then: its functions, which are there from the beginning.
 */
export function createLinkedModules({
  modules,
  load,
  require,
}: LinkedModulesOptions): (links: readonly Link[]) => Load {
  const given = new Map(modules.map((module, index) => [module.id, { module, file: `module-${index}.ts` }]));
  const evaluations = new Map<string, Evaluation>();

  const importer = (links: readonly Link[], by?: Evaluation): Load => {
    const meaning = new Map(links);
    return async (specifier, names = []) => {
      const wanted = String(specifier);
      const id = meaning.get(wanted);
      const exports = id === undefined ? await load(wanted) : await evaluated(id, by);
      for (const name of names) {
        if (!(name in exports)) throw new SyntaxError(`The module "${wanted}" has no export named "${name}"`);
        if (by && id !== undefined && !evaluations.get(id)?.isDone) mustHaveValue(exports, name, wanted, by.id);
      }
      return exports;
    };
  };
  const evaluated = async (id: string, by: Evaluation | undefined): Promise<Exports> => {
    const known = evaluations.get(id);
    if (known?.isDone || (known && by && isWaitingFor(known, by))) return known.exports;
    const module = known ?? evaluate(id, by);
    by?.waitsFor.add(module);
    try {
      await module.done;
    } finally {
      by?.waitsFor.delete(module);
    }
    return module.exports;
  };
  const evaluate = (id: string, by: Evaluation | undefined): Evaluation => {
    const found = given.get(id);
    if (!found) throw new Error(`Cannot find module "${id}"`);
    const exports = Object.create(null, { [Symbol.toStringTag]: { value: "Module" } });
    const evaluation: Evaluation = { id, exports, waitsFor: new Set(), isDone: false, done: Promise.resolve() };
    evaluations.set(id, evaluation);
    by?.waitsFor.add(evaluation); // it may import its importer at once
    const run = async () => {
      const { module, file } = found;
      if (module.format === "commonjs") runCommonJs(module, file, exports, require);
      else await runSource(module, file, exports, importer(module.links, evaluation));
      evaluation.isDone = true;
      Object.preventExtensions(exports);
    };
    evaluation.done = run();
    evaluation.done.catch(() => {}); // who imports it is told
    return evaluation;
  };
  return (links) => importer(links);
}

function isWaitingFor(module: Evaluation, other: Evaluation): boolean {
  return module === other || [...module.waitsFor].some((next) => isWaitingFor(next, other));
}

/** Of two modules that import each other, the second one finds the first one's constants not yet there. */
function mustHaveValue(exports: Exports, name: string, specifier: string, importer: string): void {
  try {
    void exports[name];
  } catch (thrown) {
    if (!(thrown instanceof ReferenceError)) throw thrown;
    throw new ReferenceError(
      `"${name}" of "${specifier}" has no value yet, because it and "${importer}" import each other: declare it as a function`,
    );
  }
}

type Getters = Readonly<Record<string, () => unknown>>;
type Define = (getters: Getters, types?: readonly string[]) => void;
type Main = (load: Load, define: Define, defineAll: (from: Exports) => void) => Promise<void>;

async function runSource({ code }: GuestModule, file: string, exports: Exports, load: Load): Promise<void> {
  const define: Define = (getters, types = []) => {
    for (const [name, get] of Object.entries(getters)) Object.defineProperty(exports, name, { get, enumerable: true });
    // An import of a type looks like one of a value.
    for (const name of types) if (!(name in exports)) Object.defineProperty(exports, name, { value: undefined });
  };
  const defineAll = (from: Exports) => {
    const names = Object.keys(from).filter((name) => name !== "default" && !(name in exports));
    define(Object.fromEntries(names.map((name) => [name, () => from[name]])));
  };
  // biome-ignore lint/security/noGlobalEval: running the guest's code is what this process is for
  const main = globalThis.eval(`${code}\n//# sourceURL=${file}`) as Main;
  await main(load, define, defineAll);
}

/** As Node does: its members by name, and the whole as the default. */
function runCommonJs(
  { code }: GuestModule,
  file: string,
  exports: Exports,
  require: LinkedModulesOptions["require"],
): void {
  const module: { exports: unknown } = { exports: {} };
  const text = `${code}\n//# sourceURL=${file}`;
  new Function("module", "exports", "require", text).call(module.exports, module, module.exports, require);
  const whole = module.exports as Record<string, unknown> | null | undefined;
  const members = typeof whole === "object" || typeof whole === "function" ? Object.keys(whole ?? {}) : [];
  for (const name of members) {
    if (name !== "default") Object.defineProperty(exports, name, { get: () => whole?.[name], enumerable: true });
  }
  Object.defineProperty(exports, "default", { value: whole?.["default"] ?? whole, enumerable: true });
}
