import type { Program } from "../engine.ts";
import { importProblem } from "../import-policy.ts";
import { conveniences } from "./conveniences.ts";
import { createLinkedModules, type Load } from "./linked-modules.ts";

/** How guest modules reach the host. */
export interface Host {
  call(server: string, tool: string, args: unknown): Promise<unknown>;
  operation(name: string, args: unknown): Promise<unknown>;
}

type Module = Readonly<Record<string, unknown>>;

export class ToolError extends Error {
  readonly server: string;
  readonly tool: string;
  readonly delivery: string;
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, of: Pick<ToolError, "server" | "tool" | "delivery" | "code" | "retryAfterMs">) {
    super(message);
    this.name = "ToolError";
    this.server = of.server;
    this.tool = of.tool;
    this.delivery = of.delivery;
    this.code = of.code;
    this.retryAfterMs = of.retryAfterMs;
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

function rootModule(host: Host): Module {
  return seal({
    ToolError,
    call: (server: string, tool: string, args?: unknown) => host.call(String(server), String(tool), args),
    list_servers: () => host.operation("list_servers", {}),
    search: (query: string, options: object = {}) => host.operation("search", { ...options, query }),
  });
}

function libraryModule(host: Host, library: Program["libraries"][number]): Module {
  const { server } = library;
  const functions = library.tools.map(([identifier, name]) => {
    return [identifier, (args?: unknown) => host.call(server, name, args)] as const;
  });
  return seal({
    ...Object.fromEntries(functions),
    call: (tool: string, args?: unknown) => host.call(server, String(tool), args),
    list_tools: () => host.operation("list_tools", { server_name: server }),
  });
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
  const made = Object.entries(conveniences)
    .filter(([, { needs }]) => needs.every((name) => name in operations))
    .map(([name, { make }]) => [name, make(operations)] as const);
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
