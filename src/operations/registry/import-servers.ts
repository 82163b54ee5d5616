import * as z from "zod";
import { type System, thisSystem } from "../../config/clients/client.ts";
import { clients } from "../../config/clients/clients.ts";
import { type ImportState, type JudgedServer, judgeServers } from "../../config/clients/judge-servers.ts";
import { shownEntry } from "../../config/clients/shown-entry.ts";
import type { RawEntry } from "../../config/entry.ts";
import type { FileWithBackup } from "../../config/write-file.ts";
import { CoordinatorError } from "../../errors.ts";
import { nearest } from "../../system/nearest.ts";
import { defineOperation } from "../operation.ts";
import type { Services } from "../services.ts";

/** A server of an AI client, without its secrets. */
interface ImportedServer {
  readonly client: string;
  readonly name: string;
  readonly file: string;
  readonly state: ImportState;
  readonly because?: string;
  readonly transport?: string;
  /** Its command or url. */
  readonly reach?: string;
  /** The names of its variables or headers. */
  readonly secrets?: readonly string[];
  readonly notes: readonly string[];
}

export interface Imported {
  readonly servers: readonly ImportedServer[];
  readonly failures: readonly { readonly client: string; readonly file: string; readonly problem: string }[];
  /** Our own file. */
  readonly file: string;
  /** What was written into it. */
  readonly written?: FileWithBackup & { readonly names: readonly string[] };
}

export const clientNames: readonly string[] = clients.map(({ name }) => name);

/** The servers that AI clients have; with `write`, those that are chosen become ours. */
export function importServers({ servers }: Services) {
  return defineOperation({
    name: "import_servers",
    description: "The MCP servers that the user's AI clients have, and which of them are not configured here",
    input: () =>
      z.strictObject({
        client: z.string().optional(),
        names: z.array(z.string()).optional(),
        write: z.boolean().optional(),
      }),
    async run({ client, names = [], write = false }): Promise<Imported> {
      const system = thisSystem();
      const { scanClients } = await import("../../config/clients/scan-clients.ts"); // with what reads TOML and YAML
      const scan = await scanClients(client === undefined ? clients : [findClient(client)], system);
      const judged = judgeServers(scan.servers, await servers.entries(), variablesOf(system));
      const chosen = choose(judged, names);
      const failures = scan.failures.map(({ client: { name }, file, problem }) => ({ client: name, file, problem }));
      const found = { servers: (names.length > 0 ? chosen : judged).map(describe), failures, file: servers.file };
      const wanted = write ? toWrite(chosen, names.length > 0) : [];
      if (wanted.length === 0) return found;
      const written = await servers.change(new Map(wanted.map(({ name, entry }) => [name, entry])));
      return { ...found, written: { ...written, names: wanted.map(({ name }) => name) } };
    },
  });
}

export function findClient(name: string): (typeof clients)[number] {
  const found = clients.find((client) => client.name === name);
  if (found) return found;
  const close = nearest(name, clientNames);
  throw new CoordinatorError("input_invalid", `There is no client "${name}"`, {
    hint: close ? `Did you mean ${close}?` : `Choose one of: ${clientNames.join(", ")}.`,
  });
}

function variablesOf({ env, home, cwd }: System) {
  return { env, userHome: home, workspaceFolder: cwd };
}

function choose(judged: readonly JudgedServer[], names: readonly string[]): readonly JudgedServer[] {
  const unknown = names.find((name) => !judged.some((server) => server.name === name));
  if (unknown !== undefined) {
    const close = nearest(
      unknown,
      judged.map(({ name }) => name),
    );
    throw new CoordinatorError("input_invalid", `No AI client has a server "${unknown}"`, {
      hint: close ? `Did you mean ${close}?` : "Nothing was written. `mcp-coordinator import` lists what there is.",
    });
  }
  return names.length === 0 ? judged : judged.filter(({ name }) => names.includes(name));
}

/** All new ones; of those that were named also what the client has switched off. The rest is told, not written. */
function toWrite(chosen: readonly JudgedServer[], areNamed: boolean): readonly (JudgedServer & { entry: RawEntry })[] {
  return chosen.flatMap((server) => {
    const isWanted = server.state === "new" || (areNamed && server.state === "disabled");
    return isWanted && server.entry ? [{ ...server, entry: server.entry }] : [];
  });
}

function describe({ client, name, file, state, because, entry, notes }: JudgedServer): ImportedServer {
  const about = { client: client.name, name, file, state, ...(because !== undefined && { because }), notes };
  if (entry === undefined) return about;
  const secrets = Object.keys((entry["env"] ?? entry["headers"] ?? {}) as object);
  const transport = entry["url"] === undefined ? "stdio" : String(entry["type"] ?? "http");
  return { ...about, transport, reach: shownEntry(entry), ...(secrets.length > 0 && { secrets }) };
}
