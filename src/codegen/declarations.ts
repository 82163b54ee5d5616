import type { Library, Tool } from "../catalog/tool.ts";
import { callableOf } from "./callable.ts";
import { docComment } from "./doc-comment.ts";
import { importableTools } from "./importable.ts";
import { quote } from "./quote.ts";

/** A word about a tool that stands behind its declaration. */
export type MarkOf = (server: string, tool: Tool) => string | undefined;

/** The declarations of the module `mcp_tools/<module>`. */
export function declarations(library: Library, markOf: MarkOf = () => undefined): string {
  const tools = importableTools(library);
  const taken = new Set(tools.map((tool) => tool.identifier));
  const exactName = nameType(library.tools.map((tool) => tool.name));
  const listed = tools.map((tool) => `${declaration(tool, taken, markOf(library.server, tool))}\n\n`);
  return `${listed.join("")}/** Calls a tool by its exact name. */
export declare function call(tool: ${exactName}, args?: Record<string, unknown>): Promise<any>;

export declare function list_tools(): Promise<{ name: string; identifier: string; description: string }[]>;
`;
}

function declaration(tool: Tool, taken: Set<string>, mark: string | undefined): string {
  const { parameters, result, aliases, docs } = callableOf(tool, taken);
  const types = [...aliases].map(([name, type]) => `export type ${name} = ${type};\n`);
  return `${types.join("")}${docComment(docs())}export declare function ${tool.identifier}(${parameters}): ${result};${mark === undefined ? "" : ` // ${mark}`}`;
}

/** The declarations of the module `mcp_tools`. */
export function indexDeclarations(libraries: readonly Library[]): string {
  const server = nameType(libraries.map((library) => library.server));
  return `/** A tool call that failed. */
export declare class ToolError extends Error {
  readonly server: string;
  readonly tool: string;
  /** Whether the server may have acted: the call was not sent, the server reported a failure, or nobody knows. */
  readonly delivery: "not_sent" | "failed" | "unknown";
  readonly code: string;
  /** When the call is worth making again, where that is known. */
  readonly retryAfterMs?: number;
  /** What the tool has sent with its error, whole; absent when there was no answer. */
  readonly result?: ToolResult;
}

/** What a server answers a call with. */
export interface ToolResult<Value = any> {
  content: Content[];
  structuredContent?: Value;
  isError?: boolean;
  _meta?: Record<string, any>;
  [further: string]: any;
}

/** A part of a result. An image or audio has data in Base64 and a mimeType; servers may send types that are not listed. */
export interface Content {
  type: "text" | "image" | "audio" | "resource" | "resource_link" | (string & {});
  text?: string;
  data?: string;
  mimeType?: string;
  uri?: string;
  name?: string;
  resource?: { uri: string; mimeType?: string; text?: string; blob?: string; [further: string]: any };
  annotations?: Record<string, any>;
  _meta?: Record<string, any>;
  [further: string]: any;
}

/** Calls a tool and gives the server's whole result instead of its value: raw(search_papers, { query: "x" }). */
export declare function raw<Arguments extends unknown[], Value>(
  tool: (...args: Arguments) => Promise<Value>,
  ...args: Arguments
): Promise<ToolResult<Value>>;

/** What a server sent beside the value of a call: content that the value does not hold, and _meta. */
export declare function rest_of(value: object): { content: Content[]; _meta?: Record<string, any> };

export declare function list_servers(): Promise<{ name: string; module: string; description: string; tools?: number; transport: string; state: string }[]>;

/** Ranked tools of all servers, or of one. */
export declare function search(
  query: string,
  options?: { server?: ${server}; limit?: number },
): Promise<{ server: string; name: string; import: string; signature: string; description: string }[]>;

/** Calls a tool of a server by their exact names. */
export declare function call(server: ${server}, tool: string, args?: Record<string, unknown>): Promise<any>;
`;
}

/** A string type that suggests the given names and takes any other. */
function nameType(names: readonly string[]): string {
  const suggested = [...new Set(names)].filter((name) => name.length <= 128).map(quote);
  return suggested.length === 0 ? "string" : [...suggested, "(string & {})"].join(" | ");
}
