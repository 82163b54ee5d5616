import { type Fields, fieldsOf, isFields } from "../../system/fields.ts";

/** A server as a client wrote it. */
export interface ForeignServer {
  readonly name: string;
  readonly entry: unknown;
  /** Where in the file the servers are: the path of the map or list. */
  readonly at: readonly string[];
}

/** Keys that hold servers and nothing else. */
const sureKeys = [["mcpServers"], ["mcp_servers"], ["context_servers"], ["mcp", "servers"]];
/** Keys that also hold settings, and the file itself where it is a bare map: there a server is what looks like one. */
const mixedKeys = [["servers"], ["mcp"], ["extensions"], []];
const marks = ["command", "cmd", "url", "httpUrl", "serverUrl", "uri"];

/** The servers in a client's file, in whatever way it keeps them. */
export function findServers(value: unknown): readonly ForeignServer[] {
  const found = [...sureKeys, ...mixedKeys].find((key) => serversAt(value, key).length > 0);
  return [...(found ? serversAt(value, found) : []), ...serversOfProjects(value)];
}

function serversAt(value: unknown, at: readonly string[]): readonly ForeignServer[] {
  const held = at.reduce<unknown>((inner, key) => fieldsOf(inner)[key], value);
  const isSure = sureKeys.some((key) => key === at);
  const pairs = Array.isArray(held) ? held.map(listed) : isFields(held) ? Object.entries(held) : [];
  return pairs.filter(([, entry]) => isSure || looksLikeServer(entry)).map(([name, entry]) => ({ name, entry, at }));
}

function listed(entry: unknown, index: number): [name: string, entry: unknown] {
  const name = isFields(entry) && typeof entry["name"] === "string" ? entry["name"] : "";
  return [name || `server-${index + 1}`, entry];
}

/** Claude Code keeps the servers of single projects beside those of the user. */
function serversOfProjects(value: unknown): readonly ForeignServer[] {
  const projects = Object.keys(fieldsOf(fieldsOf(value)["projects"]));
  return projects.flatMap((project) => serversAt(value, ["projects", project, "mcpServers"]));
}

function looksLikeServer(entry: unknown): boolean {
  if (!isFields(entry)) return false;
  return marks.some((mark) => mark in entry) || isBuiltIn(entry);
}

/** A part of the client itself that is listed among its servers. */
export function isBuiltIn({ type }: Fields): boolean {
  return ["builtin", "platform", "frontend", "inline_python"].includes(String(type));
}
