import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pyrightFolder } from "./language-server.ts";

const typeshed = () => join(pyrightFolder(), "dist", "typeshed-fallback");
const stubs = () => join(typeshed(), "stdlib");
let packages: ReadonlySet<string> | undefined;
let modules: ReadonlySet<string> | undefined;

/** The modules of Python itself, by their first names. */
export function standardModules(): ReadonlySet<string> {
  modules ??= new Set(
    readFileSync(join(stubs(), "VERSIONS"), "utf8")
      .split("\n")
      .flatMap((line) => /^(\w+)(?:\.[\w.]*)?:/.exec(line)?.[1] ?? []),
  );
  return modules;
}

/** The modules of packages that pyright has stubs of, by their first names: it takes those before files beside the code. */
export function stubbedModules(): ReadonlySet<string> {
  const folder = join(typeshed(), "stubs");
  packages ??= new Set(
    readdirSync(folder).flatMap((name) => readdirSync(join(folder, name)).map((file) => file.replace(/\.pyi$/, ""))),
  );
  return packages;
}

/** Whether a module of Python itself has that submodule. */
export function hasSubmodule(module: string, name: string): boolean {
  return stubOf(`${module}.${name}`) !== undefined;
}

const definedNames = new Map<string, readonly string[]>();

/** What a module of Python itself defines, as far as its stub says so in so many words. */
export function namesIn(module: string): readonly string[] {
  const known = definedNames.get(module);
  const file = known ? undefined : stubOf(module);
  if (file === undefined) return known ?? [];
  const names = definedIn(readFileSync(file, "utf8"));
  definedNames.set(module, names);
  return names;
}

/** Whether a module of Python itself has the name at least on some system. */
export function mentions(module: string, name: string): boolean {
  const file = stubOf(module);
  return file !== undefined && new RegExp(`^[ \\t]+(?:def |class )?${name}\\b`, "m").test(readFileSync(file, "utf8"));
}

/** The names that a stub defines at its top level. */
function definedIn(stub: string): string[] {
  const defined = stub.matchAll(
    /^(?:(?:async )?def|class) (\w+)|^(\w+)[ \t]*[:=]|^[ \t]+from \S+ import (\w+) as \3$/gm,
  );
  return [...defined].map(([, definition, assigned, imported]) => definition ?? assigned ?? imported ?? "");
}

function stubOf(module: string): string | undefined {
  if (!/^\w+(\.\w+)*$/.test(module)) return undefined;
  const path = join(stubs(), ...(module === "os.path" ? "posixpath" : module).split("."));
  return [`${path}.pyi`, join(path, "__init__.pyi")].find((file) => existsSync(file));
}
