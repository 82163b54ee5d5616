import { isFields } from "../system/fields.ts";
import { identifiers, libraryReserved } from "./names.ts";
import { plainLine, plainText } from "./plain-text.ts";
import { schemaSize } from "./schema-size.ts";
import type { JsonSchema, Tool } from "./tool.ts";

/** Something in a server's list that is left out, and why: a tool, or a part of one that is there without it. */
export interface Skipped {
  readonly name: string;
  readonly reason: string;
}

const maxTools = 5_000;
/** Of all tools of a server together, about as JSON text. */
const maxSize = 8 * 1024 * 1024;
/** Entries that are not tools, and are told one by one. */
const mostSkipped = 100;
const maxNameLength = 256;
const maxDescriptionLength = 4_000;
const maxTitleLength = 200;

/** Fits any arguments; stands in for an input schema that is missing or cannot be used. */
const looseSchema: JsonSchema = { type: "object", additionalProperties: true };

export interface ReadTools {
  readonly tools: Tool[];
  readonly skipped: Skipped[];
}

/** The tools of a `tools/list` answer as the server sent it. One bad entry never hides its neighbours. */
export function readTools(raw: unknown): ReadTools {
  if (!Array.isArray(raw)) return { tools: [], skipped: [{ name: "tools", reason: "the list is not an array" }] };
  const { entries, skipped } = readEntries(raw);
  const names = identifiers([...entries.keys()], libraryReserved);
  const tools: Tool[] = [];
  let size = 0;
  for (const [name, entry] of entries) {
    const read = readTool(name, names.get(name) ?? name, entry, skipped);
    size += read.size;
    if (size > maxSize) break;
    tools.push(read.tool);
  }
  const surplus = entries.size - tools.length;
  if (surplus > 0) {
    const reason = `the tools of a server may take ${maxSize / 1024 / 1024} MB at most`;
    skipped.push({ name: `${surplus} more tools`, reason });
  }
  return { tools, skipped };
}

/** An entry of the list: any of this may be missing or of another type. */
interface Entry {
  readonly name?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
}

function readEntries(raw: readonly unknown[]): { entries: Map<string, Entry>; skipped: Skipped[] } {
  const entries = new Map<string, Entry>();
  const skipped: Skipped[] = [];
  let surplus = 0;
  let untold = 0;
  for (const [index, entry] of raw.entries()) {
    const skip = (reason: string, name = `tool ${index + 1}`) => {
      if (skipped.length < mostSkipped) skipped.push({ name: plainLine(name, 80), reason });
      else untold++;
    };
    if (!isFields(entry)) {
      skip("it is not an object");
      continue;
    }
    const { name }: Entry = entry;
    if (typeof name !== "string" || name === "") skip("it has no name");
    else if (name.length > maxNameLength) skip(`its name is longer than ${maxNameLength} characters`, name);
    else if (entries.has(name)) skip("a tool before it has the same name", name);
    else if (entries.size === maxTools) surplus++;
    else entries.set(name, entry);
  }
  if (untold > 0) skipped.push({ name: `${untold} more tools`, reason: "left out like those before" });
  if (surplus > 0) skipped.push({ name: `${surplus} more tools`, reason: `a server may have ${maxTools} at most` });
  return { entries, skipped };
}

function readTool(
  name: string,
  identifier: string,
  entry: Entry,
  skipped: Skipped[],
): { readonly tool: Tool; readonly size: number } {
  let size = name.length;
  const data = (part: "inputSchema" | "outputSchema" | "annotations") => {
    const value = entry[part];
    const { problem, size: own } = schemaSize(value);
    if (problem === undefined) size += own;
    if (problem !== undefined) skipped.push({ name: plainLine(name, 80), reason: `its ${part} is ${problem}` });
    return isFields(value) && problem === undefined ? value : undefined;
  };
  const inputSchema = data("inputSchema") ?? looseSchema;
  const outputSchema = data("outputSchema");
  const annotations: { readonly [hint: string]: unknown; readonly title?: unknown } | undefined = data("annotations");
  const title = typeof entry.title === "string" ? entry.title : annotations?.title;
  const description = typeof entry.description === "string" ? plainText(entry.description, maxDescriptionLength) : "";
  const tool: Tool = {
    name,
    identifier,
    ...(typeof title === "string" && { title: plainLine(title, maxTitleLength) }),
    description,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(annotations && { annotations }),
  };
  return { tool, size: size + description.length };
}
