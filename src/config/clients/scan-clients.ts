import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isAbsent, messageOf } from "../../errors.ts";
import { readFileWithin } from "../../system/read-file.ts";
import type { ClientPlace, KnownClient, System } from "./client.ts";
import { findServers } from "./find-servers.ts";
import { formatOf, parseFile } from "./parse-file.ts";
import { type Translated, translateEntry } from "./translate-entry.ts";

/** A server in a client's file. */
export interface FoundServer extends Translated {
  readonly client: KnownClient;
  readonly file: string;
  readonly name: string;
}

export interface Scan {
  readonly servers: readonly FoundServer[];
  /** Files that were looked at. */
  readonly files: readonly { readonly client: KnownClient; readonly file: string }[];
  /** Files that could not be read, and why. */
  readonly failures: readonly { readonly client: KnownClient; readonly file: string; readonly problem: string }[];
}

/** A client's file also holds its history and caches; this one is not a file of settings. */
const largest = 64_000_000;

/** The servers in the files of these clients. A file that cannot be read is told, and the others are read. */
export async function scanClients(clients: readonly KnownClient[], system: System): Promise<Scan> {
  const found: { [Part in keyof Scan]: Scan[Part][number][] } = { servers: [], files: [], failures: [] };
  for (const client of clients) {
    for (const place of client.places(system)) {
      for (const file of await filesAt(place.path)) {
        try {
          const servers = await readClientFile(client, { ...place, path: file }, system);
          if (servers === undefined) continue;
          found.files.push({ client, file });
          found.servers.push(...servers);
        } catch (thrown) {
          found.failures.push({ client, file, problem: messageOf(thrown) });
        }
      }
    }
  }
  return found;
}

async function readClientFile(
  client: KnownClient,
  { path: file, scope }: ClientPlace,
  { cwd }: System,
): Promise<readonly FoundServer[] | undefined> {
  const text = await readIfThere(file);
  if (text === undefined) return undefined;
  const project = scope === "project" ? cwd : undefined;
  return findServers(parseFile(text, formatOf(file, client.format), file)).map(({ name, entry, at }) => {
    // Claude Code's servers of one project stand under its path.
    const folder = at[0] === "projects" ? at[1] : project;
    return { client, file, name, ...translateEntry(entry, { family: client.family, folder }) };
  });
}

/** The text of a file; undefined when there is none. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    const hint = "It is not a settings file: look at what is there, or remove it.";
    const bytes = await readFileWithin(file, { most: largest, code: "config_invalid", hint });
    return bytes.toString("utf8").replace(/^\uFEFF/, "");
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined;
    throw thrown;
  }
}

/** The files that a path with `*` stands for. */
async function filesAt(path: string): Promise<readonly string[]> {
  if (!path.includes("*")) return [path];
  const parts = path.split(/(?<=[/\\])/);
  const index = parts.findIndex((part) => part.includes("*"));
  const folder = dirname(join(parts.slice(0, index).join(""), "x"));
  const [before = "", after = ""] = (parts[index] ?? "").replace(/[/\\]$/, "").split("*");
  const names = await readdir(folder).catch(() => []); // the client is not installed
  return names
    .filter((name) => name.startsWith(before) && name.endsWith(after))
    .map((name) => join(folder, name, ...parts.slice(index + 1)));
}
