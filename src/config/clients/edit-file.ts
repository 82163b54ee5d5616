import { isDeepStrictEqual } from "node:util";
import { stringify as tomlText } from "smol-toml";
import { isMap, isSeq, parseDocument } from "yaml";
import { CoordinatorError } from "../../errors.ts";
import { isFields } from "../../system/fields.ts";
import { printable } from "../../system/printable.ts";
import type { Format } from "./client.ts";
import { editJson } from "./edit-json.ts";
import { parseFile } from "./parse-file.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Place {
  /** Where the map, or list of named entries, is. */
  readonly key: readonly string[];
  /** What to make of the place when there is none: a map, or for `list` a list of entries with names. */
  readonly list?: boolean | undefined;
}

/** Servers to write at a place in a file, by name; undefined takes one out. */
export interface ServerEdit extends Place {
  readonly file: string;
  readonly format: Format;
  readonly changes: ReadonlyMap<string, Fields | undefined>;
}

/** The text with these servers in it. Comments and all else stay: what was read back differently is not written. */
export function editServers(text: string, edit: ServerEdit): string {
  const before = parseFile(text, edit.format, edit.file);
  let edited = text;
  for (const [name, entry] of edit.changes) edited = editOne(edited, edit, name, entry);
  const wanted = [...edit.changes].reduce((value, [name, entry]) => changed(value, edit, name, entry), before);
  if (isDeepStrictEqual(plain(parseFile(edited, edit.format, edit.file)), plain(wanted))) return edited;
  throw new CoordinatorError(
    "config_invalid",
    `Cannot edit ${printable(edit.file)} without changing other parts of it`,
    { hint: `Nothing was written. Edit ${edit.key.join(".")} in it by hand.` },
  );
}

function editOne(text: string, edit: ServerEdit, name: string, entry: Fields | undefined): string {
  if (edit.format === "yaml") return editYaml(text, edit, name, entry);
  if (edit.format === "toml") return editToml(text, edit.key, name, entry);
  return editJson(text.trim() === "" ? "{}\n" : text, [...edit.key, name], entry);
}

function editYaml(text: string, { key, list }: ServerEdit, name: string, entry: Fields | undefined): string {
  const document = parseDocument(text);
  const place = document.getIn(key);
  if (isSeq(place) || (list && !isMap(place))) {
    const index = isSeq(place) ? place.items.findIndex((item) => isMap(item) && item.get("name") === name) : -1;
    if (entry === undefined) {
      if (index < 0) return text;
      document.deleteIn([...key, index]);
    } else if (!isSeq(place)) document.setIn(key, document.createNode([{ name, ...entry }]));
    else document.setIn([...key, index < 0 ? place.items.length : index], document.createNode({ name, ...entry }));
  } else if (entry === undefined) document.deleteIn([...key, name]);
  else document.setIn([...key, name], document.createNode(entry));
  return document.toString({ lineWidth: 0 });
}

/** A table at the end of the file, or the table and those below it out of the file. */
function editToml(text: string, key: readonly string[], name: string, entry: Fields | undefined): string {
  const isOwn = (header: string) => {
    const path = headerPath(header);
    return path !== undefined && [...key, name].every((part, index) => path[index] === part);
  };
  const sections = text.split(/^(?=[ \t]*\[)/m);
  const rest = withOneLineEnd(sections.filter((section) => !isOwn(section)).join(""));
  if (entry === undefined) return rest;
  const nested = [...key, name].reduceRight<Fields>((inner, part) => ({ [part]: inner }), entry);
  const gap = rest.trim() === "" ? "" : rest.endsWith("\n") ? "\n" : "\n\n";
  return `${rest}${gap}${tomlText(nested)}${tomlText(nested).endsWith("\n") ? "" : "\n"}`;
}

function withOneLineEnd(text: string): string {
  const lineEnd = text.indexOf("\n", text.trimEnd().length);
  return lineEnd < 0 ? text : text.slice(0, lineEnd + 1);
}

function headerPath(section: string): readonly string[] | undefined {
  const [, header] = /^\s*\[([^[\]]+)\]/.exec(section) ?? [];
  if (header === undefined) return undefined;
  return [...header.matchAll(/"([^"]*)"|'([^']*)'|([\w-]+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}

/** The same change on the value, to compare with. */
function changed(value: unknown, { key, list }: Place, name: string, entry: Fields | undefined): unknown {
  const [first, ...rest] = key;
  const fields = isFields(value) ? value : {};
  if (first !== undefined) {
    if (entry === undefined && !(first in fields)) return value;
    return { ...fields, [first]: changed(fields[first], { key: rest, list }, name, entry) };
  }
  if (Array.isArray(value) || (list && !isFields(value))) {
    const items = Array.isArray(value) ? value : [];
    const index = items.findIndex((item) => isFields(item) && item["name"] === name);
    if (entry === undefined) return items.filter((_, position) => position !== index);
    return index < 0 ? [...items, { name, ...entry }] : items.with(index, { name, ...entry });
  }
  const { [name]: _before, ...others } = fields;
  return entry === undefined ? others : { ...others, [name]: entry };
}

/** Without prototypes, which parsers give or do not, and with dates as text. An empty place is the same as none. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "bigint") return String(inner);
    return isFields(inner) ? Object.fromEntries(Object.entries(inner).filter(([, one]) => !isEmpty(one))) : inner;
  });
  return JSON.parse(text ?? "null");
}

function isEmpty(value: unknown): boolean {
  return isFields(value) && !(value instanceof Date) && Object.keys(value).length === 0;
}
