import { fieldsOf } from "../system/fields.ts";
import type { RawEntry } from "./entry.ts";
import { riskyVariables } from "./risky-variables.ts";

/**
 * How a server is started or reached, as its file has it: variables by their names, so that it is the same with other values of
 * them. What it is given in secret is not in it.
 */
export interface WrittenServer {
  readonly type?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  /** The names; with their values those that decide which code it runs. */
  readonly env?: readonly string[];
  readonly cwd?: string;
  readonly url?: string;
  /** The names. */
  readonly headers?: readonly string[];
  /** Without its secret. */
  readonly auth?: Readonly<Record<string, unknown>>;
}

/** Of an entry that the schema has let pass. */
export function writtenServer(entry: RawEntry): WrittenServer {
  const { type, command, args, cwd } = entry as Readonly<Record<"type" | "command" | "args" | "cwd", unknown>>;
  const url = entry["url"] ?? entry["serverUrl"] ?? entry["httpUrl"];
  const { clientSecret: _secret, ...auth } = fieldsOf(entry["auth"]);
  const parts = {
    ...{ type, command, cwd, url },
    args: Array.isArray(args) && args.length > 0 ? args : undefined,
    env: listOrNone(envOf(fieldsOf(entry["env"]))),
    headers: listOrNone(Object.keys(fieldsOf(entry["headers"])).map((name) => name.toLowerCase())),
    auth: Object.keys(auth).length > 0 ? auth : undefined,
  };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

function envOf(env: Readonly<Record<string, unknown>>): string[] {
  const risky = new Set(riskyVariables(Object.keys(env)));
  return Object.entries(env).map(([name, value]) => (risky.has(name) ? `${name}=${value}` : name));
}

function listOrNone(names: readonly string[]): readonly string[] | undefined {
  return names.length === 0 ? undefined : [...names].sort();
}
