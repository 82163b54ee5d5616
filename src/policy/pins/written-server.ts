import { createHash } from "node:crypto";
import { sortedJson } from "../../catalog/sorted-json.ts";
import type { WrittenServer } from "../../config/written-server.ts";

/** The same for every order of keys, and on every machine: there are no values of variables in it, and no paths but those of the file. */
export function writtenHash(server: WrittenServer): string {
  return createHash("sha256").update(sortedJson(server)).digest("hex");
}

/** What differs between two ways to start or reach a server, a line each: what it was, and what it is. */
export function writtenDifferences(before: WrittenServer, after: WrittenServer): readonly string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => {
    const [was, is] = [old.get(key), now.get(key)];
    return was === is ? [] : [`${key}: ${was ?? "(none)"} → ${is ?? "(none)"}`];
  });
}

/** How a server is started or reached, a line for each part. */
export function writtenLines(server: WrittenServer): readonly string[] {
  return [...linesOf(server)].map(([key, text]) => `${key}: ${text}`);
}

function linesOf({ command, args, env, headers, ...rest }: WrittenServer): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  if (command !== undefined) lines.set("command", [command, ...(args ?? [])].map(quoted).join(" "));
  if (env) lines.set("environment", env.join(", "));
  if (headers) lines.set("headers", headers.join(", "));
  for (const [key, value] of Object.entries(rest))
    lines.set(key, typeof value === "string" ? value : sortedJson(value));
  return lines;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(word) ? word : JSON.stringify(word);
}
