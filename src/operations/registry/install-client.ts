import { createTwoFilesPatch } from "diff";
import * as z from "zod";
import { type KnownClient, type System, thisSystem } from "../../config/clients/client.ts";
import { editServers, type ServerEdit } from "../../config/clients/edit-file.ts";
import { findServers } from "../../config/clients/find-servers.ts";
import { ownEntry, ownName, ownStart } from "../../config/clients/own-entry.ts";
import { formatOf, parseFile } from "../../config/clients/parse-file.ts";
import { readIfThere } from "../../config/clients/scan-clients.ts";
import { translateEntry } from "../../config/clients/translate-entry.ts";
import { excerpt } from "../../config/excerpt.ts";
import { startsOurselves } from "../../config/ourselves.ts";
import { ownProgram } from "../../config/own-program.ts";
import { type FileWithBackup, writeWithBackup } from "../../config/write-file.ts";
import { CoordinatorError } from "../../errors.ts";
import { isFields } from "../../system/fields.ts";
import { defineOperation } from "../operation.ts";
import type { Services } from "../services.ts";
import { findClient, importServers } from "./import-servers.ts";

export interface Installed {
  readonly client: string;
  readonly file: string;
  /** What changes in the file; values of others are left out. Empty when nothing does. */
  readonly diff: string;
  readonly written?: FileWithBackup;
  /** Servers of this client that are not configured here. */
  readonly notImported: readonly string[];
}

/** Adds the coordinator to the servers of an AI client, in the client's own file and format, or takes it out. */
export function installClient(services: Services) {
  return defineOperation({
    name: "install_client",
    description: "Add the coordinator to the MCP servers of an AI client, or take it out",
    input: z.strictObject({
      client: z.string(),
      uninstall: z.boolean().optional(),
      dry_run: z.boolean().optional(),
    }),
    async run({ client: name, uninstall = false, dry_run = false }, context): Promise<Installed> {
      const system = thisSystem();
      const client = findClient(name);
      const { file, text } = await fileOf(client, system);
      const edit = editOf(client, { file, text, uninstall, start: startOf(system, services.servers.file) });
      const edited = edit.changes.size === 0 ? text : editServers(text, edit);
      const alone = uninstall || edit.changes.size === 0 ? "" : editServers("", edit);
      const diff = changedLines(text, edited, alone);
      const imported = await importServers(services).run({ client: name }, context);
      const notImported = imported.servers.flatMap((server) => (server.state === "new" ? [server.name] : []));
      const answer = { client: client.title, file, diff, notImported };
      if (diff === "" || dry_run) return answer;
      return { ...answer, written: await writeWithBackup(file, edited, false) };
    },
  });
}

/** The client's file of the user; where it would be, when there is none. */
async function fileOf(client: KnownClient, system: System): Promise<{ file: string; text: string }> {
  const places = client.places(system).filter(({ path, scope }) => scope === "user" && !path.includes("*"));
  for (const { path } of places) {
    const text = await readIfThere(path);
    if (text !== undefined) return { file: path, text };
  }
  const [first] = places;
  if (!first)
    throw new CoordinatorError("input_invalid", `It is not known in which file ${client.title} keeps a user's servers`);
  return { file: first.path, text: "" };
}

function startOf({ platform, env }: System, config: string) {
  return ownStart({ platform, env, node: process.execPath, script: ownProgram, config });
}

interface Wanted {
  readonly file: string;
  readonly text: string;
  readonly uninstall: boolean;
  readonly start: ReturnType<typeof ownStart>;
}

function editOf(client: KnownClient, { file, text, uninstall, start }: Wanted): ServerEdit {
  const format = formatOf(file, client.format);
  const servers = findServers(parseFile(text, format, file));
  const own = servers.filter(({ entry }) => {
    const { entry: ours } = translateEntry(entry, { family: "braces" });
    return ours !== undefined && startsOurselves(ours);
  });
  const wanted = uninstall ? undefined : ownEntry(client, start);
  const names = uninstall ? own.map(({ name }) => name) : [own[0]?.name ?? ownName];
  return {
    file,
    format,
    key: keyIn(client, parseFile(text, format, file)),
    list: client.shape === "continue",
    changes: new Map(names.map((name) => [name, wanted])),
  };
}

/** opencode keeps servers under mcp, and since its second version under mcp.servers. */
function keyIn({ shape, key }: KnownClient, value: unknown): readonly string[] {
  const held = key.reduce<unknown>((inner, part) => (isFields(inner) ? inner[part] : undefined), value);
  return shape === "opencode" && isFields(held) && isFields(held["servers"]) ? [...key, "servers"] : key;
}

/**
 * The lines that come and go. Whole are only those that a file with nothing but us has too; of the others only the keys
 * are shown: a file that is laid out differently brings every line of it, tokens included.
 */
function changedLines(before: string, after: string, alone: string): string {
  if (before === after) return "";
  const own = new Set(alone.split("\n").map((line) => line.trim()));
  const patch = createTwoFilesPatch("before", "after", before, after, "", "", { context: 0 });
  const lines = patch.split("\n").filter((line) => /^[+-](?!--|\+\+)/.test(line));
  return lines.map((line) => (own.has(line.slice(1).trim()) ? line : `${line[0]}${excerpt(line.slice(1))}`)).join("\n");
}
