import { createTwoFilesPatch } from "diff";
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
import { CoordinatorError } from "../../errors.ts";
import { isFields } from "../../system/fields.ts";

interface EditedFile {
  readonly file: string;
  /** Its text with us in it, or without. Nothing is written. */
  readonly edited: string;
  /** What changes; values of others are left out. Empty when nothing does. */
  readonly diff: string;
}

/** The client's own file, with us among its servers or taken out of them; `config` is our configuration. */
export async function editClientFile(
  client: KnownClient,
  { uninstall, config }: { uninstall: boolean; config: string },
): Promise<EditedFile> {
  const system = thisSystem();
  const { file, text } = await fileOf(client, system);
  const edit = editOf(client, { file, text, uninstall, start: startOf(system, config) });
  const edited = edit.changes.size === 0 ? text : editServers(text, edit);
  const alone = uninstall || edit.changes.size === 0 ? "" : editServers("", edit);
  return { file, edited, diff: changedLines(text, edited, alone) };
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
