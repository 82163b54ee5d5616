import { join, resolve } from "node:path";
import { CoordinatorError, isAbsent, messageOf } from "../errors.ts";
import { printable } from "../system/printable.ts";
import { readFileWithin } from "../system/read-file.ts";
import { dataHome, type ProcessEnv } from "./home.ts";

const smallestFile =
  '{ "mcpServers": { "everything": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-everything"] } } }';

const LARGEST = 1_000_000;

/** The names under which a configuration is found in the working folder, in that order. */
export const configNames = ["mcp_servers.json", ".mcp.json", "mcp.json"] as const;

interface ConfigFile {
  /** Absolute. */
  readonly file: string;
  readonly text: string;
  readonly origin: ConfigPlace["origin"];
}

/** The file that is named, or else the first of the usual ones that exists. */
export async function findConfigFile(path: string | undefined, cwd: string, env: ProcessEnv): Promise<ConfigFile> {
  const { file, text, tried, origin } = await placeOfConfig(path, cwd, env);
  if (text !== undefined) return { file, text, origin };
  if (tried.length === 1) {
    const source = path === undefined ? ", which MCP_SERVERS_CONFIG names" : "";
    throw new CoordinatorError("config_not_found", `Cannot find the configuration file ${printable(file)}${source}`, {
      hint: "Correct the path, or write that file.",
    });
  }
  const list = tried.map((name) => `\n  ${printable(name)}`).join("");
  throw new CoordinatorError("config_not_found", `Cannot find a configuration file. Tried:${list}`, {
    hint: `\`mcp-coordinator import --write\` makes one from the servers that your AI clients have. Or write mcp_servers.json, for example ${smallestFile}, or name a file with --config or MCP_SERVERS_CONFIG.`,
  });
}

interface ConfigPlace {
  /** Absolute. */
  readonly file: string;
  /** Undefined when there is no file: this is where one would be made. */
  readonly text: string | undefined;
  /** Where a file is looked for, in that order. */
  readonly tried: readonly string[];
  /** The user named it, or keeps it in the data folder; else it lies in a folder that may be anybody's. */
  readonly origin: "user" | "project";
}

/** The same, whether there is a file or not. */
export async function placeOfConfig(path: string | undefined, cwd: string, env: ProcessEnv): Promise<ConfigPlace> {
  const named = path ?? (env["MCP_SERVERS_CONFIG"] || undefined);
  const tried = named === undefined ? usualPlaces(cwd, env) : [resolve(cwd, named)];
  const originOf = (file: string) => (named !== undefined || isUsualPlace(file, env) ? "user" : "project");
  for (const file of tried) {
    const text = await readConfigText(file, { alsoPipes: named !== undefined });
    if (text !== undefined) return { file, text, tried, origin: originOf(file) };
  }
  const file = tried.at(-1) ?? "";
  return { file, text: undefined, tried, origin: originOf(file) };
}

/** Where a file is looked for when none is named. */
export function usualPlaces(cwd: string, env: ProcessEnv): readonly string[] {
  return [...configNames.map((name) => resolve(cwd, name)), join(dataHome(env), "config.json")];
}

/** Whether a file is found from any folder, without being named. */
export function isUsualPlace(file: string, env: ProcessEnv): boolean {
  return file === join(dataHome(env), "config.json");
}

/** The text of a configuration file; undefined when there is none. */
export async function readConfigText(file: string, { alsoPipes = false } = {}): Promise<string | undefined> {
  const bytes = await readBytes(file, alsoPipes);
  if (bytes === undefined) return undefined;
  // PowerShell's ">" writes UTF-16. The decoder takes a byte order mark away.
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isUtf16 ? "utf-16le" : "utf-8").decode(bytes);
}

async function readBytes(file: string, alsoPipes: boolean): Promise<Buffer | undefined> {
  const hint = "A configuration is a file, of a few thousand bytes even with many servers; name the right one.";
  try {
    return await readFileWithin(file, { most: LARGEST, code: "config_invalid", hint, alsoPipes });
  } catch (error) {
    if (error instanceof CoordinatorError) throw error;
    if (isAbsent(error)) return undefined;
    throw new CoordinatorError("config_invalid", `Cannot read ${printable(file)}: ${messageOf(error)}`, {
      hint: "Make it a file that this user may read.",
      cause: error,
    });
  }
}
