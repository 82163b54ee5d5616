import { createTwoFilesPatch } from "diff";
import { type KnownClient, type System, thisSystem } from "../../config/clients/client.ts";
import { editServers, type ServerEdit } from "../../config/clients/edit-file.ts";
import { laidOut } from "../../config/clients/edit-json.ts";
import { findServers } from "../../config/clients/find-servers.ts";
import { ownEntry, ownName, ownStart } from "../../config/clients/own-entry.ts";
import { formatOf, parseFile } from "../../config/clients/parse-file.ts";
import { readIfThere } from "../../config/clients/scan-clients.ts";
import { translateEntry } from "../../config/clients/translate-entry.ts";
import { excerpt } from "../../config/excerpt.ts";
import { startsOurselves } from "../../config/ourselves.ts";
import { ownProgram } from "../../config/own-program.ts";
import { backupOf } from "../../config/write-file.ts";
import { CoordinatorError } from "../../errors.ts";
import { fieldsOf, isFields } from "../../system/fields.ts";

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
  if (edit.changes.size === 0) return { file, edited: text, diff: "" };
  const edited = (uninstall ? await textBefore(client, text, edit) : undefined) ?? editServers(text, edit);
  const alone = uninstall ? "" : editServers("", edit);
  // A file may be one long line.
  const read = edit.format === "json" ? laidOut : String;
  return { file, edited, diff: changedLines(read(text), read(edited), alone) };
}

/** What the file was before us, where it is still what we made of that. */
async function textBefore(client: KnownClient, text: string, edit: ServerEdit): Promise<string | undefined> {
  try {
    const before = await readIfThere(await backupOf(edit.file));
    if (before === undefined) return undefined;
    const value = parseFile(before, edit.format, edit.file);
    if (ownServers(value).length > 0) return undefined;
    const changes = new Map(
      ownServers(parseFile(text, edit.format, edit.file)).map(({ name, entry }) => [name, fieldsOf(entry)]),
    );
    const made = editServers(before, { ...edit, key: keyIn(client, value), changes });
    return made === text ? before : undefined;
  } catch {
    return undefined; // a backup that cannot be read gives nothing back; we are taken out all the same
  }
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
  const own = ownServers(parseFile(text, format, file));
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

/** Those that are the coordinator. */
function ownServers(value: unknown) {
  return findServers(value).filter(({ entry }) => {
    const { entry: ours } = translateEntry(entry, { family: "braces" });
    return ours !== undefined && startsOurselves(ours);
  });
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
