import { Coordinator } from "./coordinator.ts";

/** What a generated `mcp_tools/` is made of, in a program outside the sandbox. */
interface ConnectedLibraries {
  library(server: string): {
    tool(name: string): (args?: Record<string, unknown>) => Promise<unknown>;
    call(tool: string, args?: Record<string, unknown>): Promise<unknown>;
    list_tools(): Promise<unknown>;
  };
  list_servers(): Promise<unknown>;
  search(query: string, options?: { server?: string; limit?: number }): Promise<unknown>;
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
  const call = async (server: string, tool: string, args: Record<string, unknown> = {}) =>
    (await coordinator()).callTool(server, tool, args);
  return {
    library: (server) => ({
      tool: (name) => (args) => call(server, name, args),
      call: (tool, args) => call(server, tool, args),
      list_tools: () => run("list_tools", { server_name: server }),
    }),
    list_servers: () => run("list_servers", {}),
    search: (query, searchOptions) => run("search", { ...searchOptions, query }),
    call,
  };
}

async function open(options: { config?: URL }): Promise<Coordinator> {
  const coordinator = await Coordinator.open(options);
  // Idle servers do not keep a process alive; when nothing else does, they are ended in order.
  process.once("beforeExit", () => void coordinator.close());
  return coordinator;
}
