import { restOf } from "../sandbox/guest/typescript/rest.ts";
import { callTool } from "./call-tool.ts";
import { Coordinator } from "./coordinator.ts";

type Args = Record<string, unknown>;

/** What a generated `mcp_tools/` is made of, in a program outside the sandbox. */
interface ConnectedLibraries {
  library(server: string): {
    tool(name: string): (args?: Record<string, unknown>) => Promise<unknown>;
    call(tool: string, args?: Record<string, unknown>): Promise<unknown>;
    list_tools(): Promise<unknown>;
  };
  list_servers(): Promise<unknown>;
  search(query: string, options?: { server?: string; limit?: number }): Promise<unknown>;
  raw(tool: object, ...given: unknown[]): Promise<unknown>;
  rest_of(value: unknown): unknown;
  call(server: string, tool: string, args?: Record<string, unknown>): Promise<unknown>;
}

/**
 * Connects a program to its servers through a coordinator in the same process: opened by the first call, closed when the
 * program has nothing left to do. Calls pass the same door as a guest's.
 */
export function connectLibraries(options: { config?: URL } = {}): ConnectedLibraries {
  let opening: Promise<Coordinator> | undefined;
  const coordinator = (): Promise<Coordinator> => {
    opening ??= open(options);
    return opening;
  };
  const run = async (operation: string, args: unknown) => (await coordinator()).run(operation, args);
  const call = async (server: string, tool: string, args: Args = {}) =>
    (await coordinator()).callTool(server, tool, args);
  const callWhole = async (server: string, tool: string, args: Args = {}) =>
    (await callTool(await coordinator(), { server, tool, args })).result;
  /** The same calls for the server's whole result, by the functions that give its value. */
  const wholeCalls = new WeakMap<object, (...given: unknown[]) => Promise<unknown>>();
  const callable = <Given extends unknown[]>(way: (calling: typeof call, ...given: Given) => Promise<unknown>) => {
    const function_ = (...given: Given) => way(call, ...given);
    wholeCalls.set(function_, (...given) => way(callWhole, ...(given as Given)));
    return function_;
  };
  return {
    library: (server) => ({
      tool: (name) => callable((calling, args?: Args) => calling(server, name, args)),
      call: callable((calling, tool: string, args?: Args) => calling(server, tool, args)),
      list_tools: () => run("list_tools", { server_name: server }),
    }),
    list_servers: () => run("list_servers", {}),
    search: (query, searchOptions) => run("search", { ...searchOptions, query }),
    raw(tool, ...given) {
      const whole = wholeCalls.get(tool);
      if (whole) return whole(...given);
      throw new TypeError("raw takes a function of mcp_tools and its arguments: raw(search_papers, { query })");
    },
    rest_of: restOf,
    call: callable((calling, server: string, tool: string, args?: Args) => calling(server, tool, args)),
  };
}

async function open(options: { config?: URL }): Promise<Coordinator> {
  const coordinator = await Coordinator.open(options);
  // Idle servers do not keep a process alive; when nothing else does, they are ended in order.
  process.once("beforeExit", () => void coordinator.close());
  return coordinator;
}
