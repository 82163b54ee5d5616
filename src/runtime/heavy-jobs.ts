// Runs in a thread of its own, for heavy-work.ts: work whose length a guest, a client or a file decides.
import { parentPort, type Transferable } from "node:worker_threads";
import { type ObservedShape, observe } from "../catalog/observed-shape.ts";
import { matchPattern } from "../catalog/pattern.ts";
import { CoordinatorError, type ErrorCode, messageOf } from "../errors.ts";
import { jsonOfText } from "../sandbox/text-as-data.ts";
import { exceeds } from "../system/json-bounds.ts";
import { readCsv } from "../workspace/csv.ts";
import { lineFilter } from "./line-filter.ts";

/** More than this takes memory for hundreds of megabytes, whatever its length as text. */
const jsonBounds = { depth: 1000, values: 4_000_000 };

interface Lines {
  readonly lines: readonly { readonly number: number; readonly text: string }[];
  readonly next: number | null;
}

/** What is asked of a JSON text: all of it, the part at a path, or some items of the list there. */
interface JsonQuestion {
  readonly name: string;
  readonly path: readonly (string | number)[];
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

const jobs = {
  match: ({ pattern, texts }: { readonly pattern: string; readonly texts: readonly (readonly string[])[] }): number[] =>
    matchPattern(pattern, texts),

  /** Of a text that is data and can be read as such here: the JSON, or `true` where it is that itself. */
  jsonOfText({ text }: { readonly text: string }): string | true | undefined {
    const json = boundedJson(text);
    return json === text || json;
  },

  observe({ text }: { readonly text: string }): ObservedShape | undefined {
    const json = boundedJson(text);
    return json === undefined ? undefined : observe(JSON.parse(json));
  },

  /** The rows as JSON text. */
  csv({ text, name, delimiter, most }: CsvQuestion): Uint8Array {
    const rows: string[] = [];
    let length = 0;
    const reading = readCsv(text, delimiter);
    for (;;) {
      const { value: row, done } = notRight(`The file ${name} is not CSV`, () => reading.next());
      if (done) return fitting(`[${rows.join(",")}]`, most);
      const json = JSON.stringify(row);
      length += json.length + 1;
      if (length > most) throw tooMuch(most);
      rows.push(json);
    }
  },

  /** The part that was asked for, as JSON text. */
  json({ bytes, question, most }: { bytes: Uint8Array; question: JsonQuestion; most: number }): Uint8Array {
    if (exceeds(bytes, jsonBounds)) {
      throw new CoordinatorError(
        "input_invalid",
        `${question.name} has more than ${jsonBounds.values} values, or is nested deeper than ${jsonBounds.depth} levels`,
        { hint: "Read it as text." },
      );
    }
    const parsed: unknown = notRight(`${question.name} is not JSON`, () => JSON.parse(decode(bytes)));
    return fitting(JSON.stringify(partOf(parsed, question)), most);
  },

  /** The lines that were asked for, as JSON text. */
  lines({ bytes, from, limit, matching, most }: LinesQuestion): Uint8Array {
    const text = decode(bytes);
    const isWanted = lineFilter(matching, text);
    const lines: { number: number; text: string }[] = [];
    let next: number | null = null;
    let length = 0;
    for (let start = 0, number = 1; start < text.length && next === null; number++) {
      const end = text.indexOf("\n", start);
      const line = text.slice(start, end < 0 ? undefined : text[end - 1] === "\r" ? end - 1 : end);
      start = end < 0 ? text.length : end + 1;
      if (number < from || !isWanted(number, line)) continue;
      if (lines.length === limit) next = number;
      else lines.push({ number, text: line });
      length += line.length;
      if (length > most) throw tooMuch(most);
    }
    return fitting(JSON.stringify({ lines, next } satisfies Lines), most);
  },
};

interface CsvQuestion {
  readonly text: string;
  readonly name: string;
  readonly delimiter: string | undefined;
  readonly most: number;
}

interface LinesQuestion {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly limit: number;
  readonly matching: string;
  readonly most: number;
}

export type Jobs = typeof jobs;

export interface JobMessage {
  readonly name: keyof Jobs;
  readonly input: unknown;
}

export type JobAnswer = { readonly value: unknown } | { readonly error: JobError };

interface JobError {
  readonly code?: ErrorCode | undefined;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The JSON of a text that is data, and not too much of it. */
function boundedJson(text: string): string | undefined {
  const exceedsBounds = (json: string) => exceeds(new TextEncoder().encode(json), jsonBounds);
  const json = exceedsBounds(text) ? undefined : jsonOfText(text);
  // In a literal of Python not every quote is one to the gauge.
  return json === undefined || (json !== text && exceedsBounds(json)) ? undefined : json;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function fitting(json: string, most: number): Uint8Array {
  const bytes = new TextEncoder().encode(json);
  if (bytes.length > most) throw tooMuch(most);
  return bytes;
}

function tooMuch(most: number): CoordinatorError {
  return new CoordinatorError("input_invalid", `It is more than ${most / 1024 / 1024} MB, too much for one answer`, {
    hint: "Read it in parts.",
  });
}

/** Says what the text was taken for when it is something else. */
function notRight<Value>(what: string, read: () => Value): Value {
  try {
    return read();
  } catch (thrown) {
    throw new CoordinatorError("input_invalid", `${what}: ${messageOf(thrown)}`, { hint: "Read it as text." });
  }
}

function partOf(data: unknown, { name, path, offset, limit }: JsonQuestion): unknown {
  const part = partAt(data, path);
  if (offset === undefined && limit === undefined) return part;
  if (Array.isArray(part)) return part.slice(offset, limit === undefined ? undefined : (offset ?? 0) + limit);
  throw new CoordinatorError("input_invalid", `That path of ${name} does not lead to a list, but to ${kindOf(part)}`, {
    hint: "offset and limit are for lists: leave them out, or give the path of a list.",
  });
}

function partAt(data: unknown, path: readonly (string | number)[]): unknown {
  let part = data;
  for (const [index, key] of path.entries()) {
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, key)) {
      const keys = typeof part === "object" && part !== null && !Array.isArray(part) ? Object.keys(part) : [];
      const known = keys.length > 0 ? `; its keys: ${keys.slice(0, 20).join(", ")}` : "";
      const place = path.slice(0, index).join(".") || "the top";
      throw new CoordinatorError("input_invalid", `There is no "${key}" at ${place}, which is ${kindOf(part)}${known}`);
    }
    part = (part as Record<string | number, unknown>)[key];
  }
  return part;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function answerOf({ name, input }: JobMessage): JobAnswer {
  try {
    return { value: (jobs[name] as (input: unknown) => unknown)(input) };
  } catch (thrown) {
    const known = thrown instanceof CoordinatorError ? thrown : undefined;
    return { error: { code: known?.code, message: messageOf(thrown), hint: known?.hint } };
  }
}

parentPort?.on("message", (message: JobMessage) => {
  const answer = answerOf(message);
  const moved: Transferable[] =
    "value" in answer && answer.value instanceof Uint8Array ? [answer.value.buffer as ArrayBuffer] : [];
  parentPort?.postMessage(answer, moved);
});
