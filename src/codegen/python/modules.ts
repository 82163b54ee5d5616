import type { Library, Tool } from "../../catalog/tool.ts";
import { importableTools } from "../importable.ts";
import { parameterNames } from "./parameter-names.ts";
import { quotePython } from "./quote.ts";

/** The module of a library in a program outside the sandbox: a table of names, and one call that makes functions of it. */
export function pythonModule(library: Library, options: { readonly async?: boolean } = {}): string {
  const [place, define] = options.async ? ["..", "define_async"] : [".", "define"];
  const tools = importableTools(library).map((tool) => `    ${quotePython(tool.identifier)}: ${tableEntry(tool)},\n`);
  return `from ${place}_coordinator import ${define}

${define}(globals(), ${quotePython(library.server)}, {
${tools.join("")}})
`;
}

function tableEntry(tool: Tool): string {
  const renamed = [...parameterNames(tool)].filter(([keyword, name]) => keyword !== name);
  const pairs = renamed.map(([keyword, name]) => `${quotePython(keyword)}: ${quotePython(name)}`);
  return `(${quotePython(tool.name)}, {${pairs.join(", ")}})`;
}

/** The module `mcp_tools` itself. `config` is the configuration file's path relative to its folder. */
export function pythonIndexModule(config: string | undefined): string {
  const given = config === undefined ? "None" : quotePython(config);
  return `from . import _coordinator
from ._coordinator import ToolError, call, list_servers, raw, rest_of, search

_coordinator.config = ${given}
__all__ = ["ToolError", "call", "list_servers", "raw", "rest_of", "search"]
`;
}

/** The module `mcp_tools.aio`. */
export const pythonAsyncIndexModule = `from .._coordinator import ToolError
from .._coordinator import call_async as call
from .._coordinator import list_servers_async as list_servers
from .._coordinator import raw, rest_of
from .._coordinator import search_async as search

__all__ = ["ToolError", "call", "list_servers", "raw", "rest_of", "search"]
`;
