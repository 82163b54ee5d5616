import type { Program } from "../../engine.ts";
import { importProblem } from "../../import-policy.ts";
import { conveniences } from "./conveniences.ts";
import { createLinkedModules, type Load } from "./linked-modules.ts";
import { restOf } from "./rest.ts";

/** How guest modules reach the host. */
export interface Host {
  /** The value of a tool's result, or the whole result. */
  call(server: string, tool: string, args: unknown, raw: boolean): Promise<unknown>;
  operation(name: string, args: unknown): Promise<unknown>;
}

type Module = Readonly<Record<string, unknown>>;

export class ToolError extends Error {
  readonly server: string;
  readonly tool: string;
  readonly delivery: string;
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** What the tool has sent with its error, whole; undefined when there was no answer. */
  declare readonly result: unknown;

  constructor(message: string, of: Omit<ToolError, keyof Error>) {
    super(message);
    this.name = "ToolError";
    this.server = of.server;
    this.tool = of.tool;
    this.delivery = of.delivery;
    this.code = of.code;
    this.retryAfterMs = of.retryAfterMs;
    // Not among what is printed with an error: it may be large.
    Object.defineProperty(this, "result", { value: of.result });
  }
}

/**
 * The import function of a guest: libraries are data, so a module is a table of functions over one dispatcher.
 * `names` are those the import statement asks for; a missing one is an error, as in any module system.
 */
export function createImport(host: Host, program: Omit<Program, "code">, nodeTest?: Module): Load {
  const { libraries, operations, imports, modules, links = [] } = program;
  const known = new Map<string, Module>([
    ["mcp_tools", rootModule(host)],
    ["coordinator", coordinatorModule(host, operations)],
    ...(nodeTest ? [["node:test", nodeTest] as const] : []),
    ...libraries.map((library) => [`mcp_tools/${library.module}`, libraryModule(host, library)] as const),
  ]);
  const permit = (specifier: string) => {
    const problem = importProblem(imports, specifier);
    if (problem !== undefined) throw new Error(problem);
  };
  const link = createLinkedModules({
    modules,
    async load(specifier) {
      permit(specifier);
      return known.get(specifier) ?? (await import(builtin(specifier)));
    },
    require(specifier) {
      const name = builtin(specifier.startsWith("node:") ? specifier : `node:${specifier}`);
      permit(name);
      const module = nodeModule(name);
      if (module === undefined) throw new Error(`Cannot find module "${specifier}"`);
      return module;
    },
  });
  return link(links);
}

/** One of Node's modules, at once. Deno brings them up with the first: who needs none does not wait for that. */
export function nodeModule(name: string): unknown {
  const { process } = globalThis as unknown as { process: { getBuiltinModule(name: string): unknown } };
  return process.getBuiltinModule(name);
}

/** The name of a module of the language, if a guest may have it. */
function builtin(specifier: string): string {
  if (specifier.startsWith("skills/")) {
    throw new Error(`Cannot find module "${specifier}": a skill is imported by its name, written out in the code`);
  }
  if (!specifier.startsWith("node:")) {
    throw new Error(
      `Cannot find module "${specifier}": guests import mcp_tools, mcp_tools/<server>, coordinator and node: modules`,
    );
  }
  if (/^node:(worker_threads|cluster)$/.test(specifier)) throw new Error("Guests cannot start threads or processes");
  return specifier;
}

/** The same calls for the server's whole result, by the functions that give its value. */
const wholeCalls = new WeakMap<object, (...given: unknown[]) => unknown>();

function rootModule(host: Host): Module {
  return seal({
    ToolError,
    call: callable((raw, server, tool, args) => host.call(String(server), String(tool), args, raw)),
    raw(tool: object, ...given: unknown[]) {
      const whole = wholeCalls.get(tool);
      if (whole) return whole(...given);
      throw new TypeError("raw takes a function of mcp_tools and its arguments: raw(search_papers, { query })");
    },
    rest_of: restOf,
    list_servers: () => host.operation("list_servers", {}),
    search: (query: string, options: object = {}) => host.operation("search", { ...options, query }),
  });
}

function libraryModule(host: Host, library: Program["libraries"][number]): Module {
  const { server } = library;
  const functions = library.tools.map(([identifier, name]) => {
    return [identifier, callable((raw, args) => host.call(server, name, args, raw))] as const;
  });
  return seal({
    ...Object.fromEntries(functions),
    call: callable((raw, tool, args) => host.call(server, String(tool), args, raw)),
    list_tools: () => host.operation("list_tools", { server_name: server }),
  });
}

function callable(call: (raw: boolean, ...given: unknown[]) => Promise<unknown>) {
  const tool = (...given: unknown[]) => call(false, ...given);
  wholeCalls.set(tool, (...given) => call(true, ...given));
  return tool;
}

/** `artifacts.read` becomes `read` of the group `artifacts`; a name without a dot is a function of the module. */
function coordinatorModule(host: Host, operations: Program["operations"]): Module {
  const module: Record<string, unknown> = {};
  for (const [operation, run] of Object.entries(withConveniences(host, operations))) {
    const [group, member] = operation.split(".") as [string, string?];
    if (member === undefined) module[group] = run;
    else module[group] = { ...(module[group] as object | undefined), [member]: run };
  }
  return seal(module);
}

function withConveniences(host: Host, offered: Program["operations"]) {
  const operations = Object.fromEntries(
    offered.map(([name, ...positional]) => {
      return [name, (...given: unknown[]) => host.operation(name, named(positional, given))] as const;
    }),
  );
  const made = Object.entries(conveniences).flatMap(([name, { needs, make }]) => {
    const found = needs.flatMap((need) => operations[need] ?? []);
    return found.length === needs.length ? [[name, make(...found)] as const] : [];
  });
  return { ...operations, ...Object.fromEntries(made) };
}

/** What stands behind the arguments by position is an object of further ones. */
function named(positional: readonly string[], given: readonly unknown[]): object {
  const pairs = positional.slice(0, given.length).map((name, index) => [name, given[index]] as const);
  return { ...Object.fromEntries(pairs), ...(given[positional.length] as object | undefined) };
}

function seal(members: Record<string, unknown>): Module {
  return Object.freeze(Object.assign(Object.create(null), members));
}
