import type { Library } from "../../catalog/tool.ts";
import { declarations, indexDeclarations } from "../../codegen/declarations.ts";
import type { Link } from "../../sandbox/engine.ts";
import type { Declared, LinkedModules } from "../compiled.ts";

const folder = "/guest";
const modulesFolder = `${folder}/modules`;
const sessionFile = `${folder}/session.d.ts`;
export const mainFile = `${folder}/main.ts`;
export const configFile = `${folder}/tsconfig.json`;

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
  paths: {
    "mcp_tools/*": ["./mcp_tools/*.d.ts"],
    mcp_tools: ["./mcp_tools/index.d.ts"],
    coordinator: ["./coordinator.d.ts"],
  },
  allowImportingTsExtensions: true,
};

/** What a guest has beside the web's and the language's globals. Node's modules and packages are there, untyped. */
const globals = `
declare const process: any, Buffer: any, global: any, setImmediate: any, clearImmediate: any;
declare const Deno: { readonly args: readonly string[]; readonly test: any };
declare module "node:*";
declare module "package:*";
`;

/** The files of a check, all in memory: the guest's text and what it can import. */
export interface GuestProject {
  readonly folders: ReadonlySet<string>;
  has(path: string): boolean;
  read(path: string): string | undefined;
  place(path: string, text: string): void;
  /** The libraries' types are written when they are read. */
  placeLibraries(libraries: readonly Library[]): void;
  /** What a session has kept, as globals: an import with its type, of all else the name. */
  placeSession(kept: readonly Declared[], links: readonly Link[], specifierOf: (id: string) => string): void;
  /** What differs from the time before; the guest's own text always does. */
  takeChanges(): FileChanges;
}

interface FileChanges {
  readonly created: string[];
  readonly changed: string[];
  readonly deleted: string[];
}

export function createGuestProject(coordinatorModule: string): GuestProject {
  const placed = new Map<string, Library>();
  const files = new Map<string, string | (() => string)>([
    [configFile, JSON.stringify({ compilerOptions, files: ["globals.d.ts", "session.d.ts", "main.ts"] })],
    [`${folder}/package.json`, "{}"],
    [`${folder}/mcp_tools/package.json`, "{}"],
    [`${folder}/globals.d.ts`, globals],
    [`${folder}/coordinator.d.ts`, coordinatorModule],
    [`${folder}/mcp_tools/index.d.ts`, indexDeclarations([])],
    [sessionFile, ""],
    [mainFile, ""],
  ]);
  let changes = noChanges();
  const place = (path: string, text: string): void => {
    const before = files.get(path);
    if (before === text && path !== mainFile) return;
    files.set(path, text);
    changes[before === undefined ? "created" : "changed"].push(path);
  };
  return {
    folders: new Set(["/", folder, modulesFolder, `${folder}/mcp_tools`]),
    has: (path) => files.has(path),
    read(path) {
      const text = files.get(path);
      return typeof text === "function" ? text() : text;
    },
    place,
    placeLibraries(libraries) {
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
    },
    placeSession: (kept, links, specifierOf) => place(sessionFile, sessionDeclarations(kept, links, specifierOf)),
    takeChanges() {
      const taken = changes;
      changes = noChanges();
      return taken;
    },
  };
}

function noChanges(): FileChanges {
  return { created: [], changed: [], deleted: [] };
}

/** Where a module's text is for the compiler. */
export function pathOf(id: string): string {
  return `${modulesFolder}/${encodeURIComponent(id)}.ts`;
}

/** The text with the ids of modules in the place of their paths. */
export function withIds(text: string): string {
  return text.replace(/\/guest\/modules\/([\w.!~*()%-]+?)(?:\.ts)?(?=["'])/g, (path, id) => idOf(id) ?? path);
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
export function specifierOf({ modules }: LinkedModules): (id: string) => string {
  const packages = new Set(modules.flatMap(({ id, format }) => (format === "commonjs" ? [id] : [])));
  return (id) => (packages.has(id) ? `package:${id}` : pathOf(id));
}

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
      const id = meaning.get(from.specifier);
      const module = `typeof import(${JSON.stringify(id === undefined ? from.specifier : specifierOf(id))})`;
      return `declare var ${name}: ${from.member === "*" ? module : `(${module})[${JSON.stringify(from.member)}]`};\n`;
    })
    .join("");
}
