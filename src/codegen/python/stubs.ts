import type { Library } from "../../catalog/tool.ts";
import type { MarkOf } from "../declarations.ts";
import { importableTools } from "../importable.ts";
import { type Callable, callableOf } from "./callable.ts";
import { printDeclared } from "./declared-type.ts";
import { functionStub } from "./function-stub.ts";
import { quotePython } from "./quote.ts";
import { createVocabulary, type Vocabulary } from "./vocabulary.ts";

export interface StubOptions {
  /** The twin under `mcp_tools.aio`. */
  readonly async?: boolean;
  /**
   * For people, and checkers of their own: types that say just what the schemas do. Without it the stub is for the check before a run,
   * and wider where a checker would refuse programs that work: dictionaries made elsewhere, properties and nulls that may be there.
   */
  readonly exact?: boolean;
  readonly markOf?: MarkOf | undefined;
}

/** The stub of the module `mcp_tools.<module>`, or of its twin. */
export function pythonStubs(library: Library, options: StubOptions = {}): string {
  const { async = false, exact = false, markOf } = options;
  const tools = importableTools(library);
  const taken = new Set(tools.map(({ identifier }) => identifier));
  const vocabulary = createVocabulary(taken);
  const { word } = vocabulary;
  const functions = tools.map((tool) => {
    const callable = callableOf(tool, { taken, vocabulary, exact });
    return (
      declaredTypes(callable, vocabulary) +
      functionStub(tool.identifier, callable, { async, mark: markOf?.(library.server, tool) })
    );
  });
  const define = async ? "async def" : "def";
  const entry = privateName("_Tool", taken);
  const name = nameType(
    library.tools.map((tool) => tool.name),
    vocabulary,
  );
  return [
    vocabulary.imports,
    ...(exact ? [] : [vocabulary.arrays]),
    ...functions,
    `${define} call(tool: ${name}, args: ${word("Mapping")}[${word("str")}, ${word("Any")}] | None = ...) -> ${word("Any")}:
    """Calls a tool by its exact name."""
`,
    `class ${entry}(${word("TypedDict")}):
    name: ${word("str")}
    identifier: ${word("str")}
    description: ${word("str")}
`,
    `${define} list_tools() -> ${word("list")}[${entry}]: ...\n`,
  ].join("\n");
}

/** The types of a callable as the lines before its function. */
export function declaredTypes({ declared }: Callable, vocabulary: Vocabulary): string {
  return [...declared].map(([name, type]) => `${printDeclared(name, type, { vocabulary })}\n`).join("");
}

/** The stub of `mcp_tools` itself, or of `mcp_tools.aio`. */
export function pythonIndexStubs(libraries: readonly Library[], options: { readonly async?: boolean } = {}): string {
  const vocabulary = createVocabulary(new Set());
  const server = nameType(
    libraries.map((library) => library.server),
    vocabulary,
  );
  const define = options.async ? "async def" : "def";
  const answer = options.async ? "Coroutine[Any, Any, Any]" : "Any";
  return `${vocabulary.imports}from collections.abc import Callable as _Callable, Coroutine
from typing_extensions import ParamSpec

${options.async ? "from .. import ToolError as ToolError\n" : toolError}
class _Server(TypedDict):
    name: str
    module: str
    description: str
    transport: str
    state: str
    tools: int

_Found = TypedDict("_Found", {"server": str, "name": str, "import": str, "signature": str, "description": str})

${define} list_servers() -> list[_Server]: ...

_P = ParamSpec("_P")

${define} raw(tool: _Callable[_P, ${answer}], /, *args: _P.args, **arguments: _P.kwargs) -> dict[str, Any]:
    """Calls a tool and gives the server's whole result instead of its value: raw(search_papers, query="x")."""

${options.async ? "from .. import rest_of as rest_of\n" : restOf}
${define} search(query: str, *, server: ${server} | None = ..., limit: int | None = ...) -> list[_Found]:
    """Ranked tools of all servers, or of one."""

${define} call(server: ${server}, tool: str, args: Mapping[str, Any] | None = ...) -> Any:
    """Calls a tool of a server by their exact names."""
`;
}

const toolError = `class ToolError(Exception):
    """A tool call that failed."""
    message: str
    server: str
    tool: str
    delivery: Literal["not_sent", "failed", "unknown"]
    """Whether the server may have acted: the call was not sent, the server reported a failure, or nobody knows."""
    code: str
    retry_after_ms: int | None
    """When the call is worth making again, where that is known."""
    result: Any
    """What the tool has sent with its error, whole; None when there was no answer."""
`;

const restOf = `def rest_of(value: Any) -> dict[str, Any]:
    """What a server sent beside the value of a call: content that the value does not hold, and _meta."""
`;

/** A string type that suggests the given names and takes any other. */
function nameType(names: readonly string[], { word }: Vocabulary): string {
  const suggested = [...new Set(names)].filter((name) => name.length <= 128).map(quotePython);
  return suggested.length === 0 ? word("str") : `${word("Literal")}[${suggested.join(", ")}] | ${word("str")}`;
}

function privateName(wanted: string, taken: ReadonlySet<string>): string {
  return taken.has(wanted) ? privateName(`_${wanted}`, taken) : wanted;
}
