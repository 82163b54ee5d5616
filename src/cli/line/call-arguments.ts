import { messageOf } from "../../errors.ts";
import { isFields } from "../../system/fields.ts";
import { readInput } from "../terminal/read-input.ts";
import { misused } from "./arguments.ts";

/** The arguments of a tool call: `--args` (JSON, @file or - for stdin), and over them each `key=value`. */
export async function readCallArguments(pairs: readonly string[], args?: string): Promise<Record<string, unknown>> {
  const base = args === undefined ? {} : parseObject(await textOf(args));
  return Object.fromEntries([...Object.entries(base), ...pairs.map(parsePair)]);
}

async function textOf(args: string): Promise<string> {
  if (args === "-") return readInput("-");
  return args.startsWith("@") ? readInput(args.slice(1)) : args;
}

function parseObject(text: string): object {
  const hint = `Write an object, such as --args '{"key": "value"}'.`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw misused(`--args is not JSON: ${messageOf(thrown)}`, hint);
  }
  if (isFields(value)) return value;
  throw misused("--args is not an object", hint);
}

function parsePair(pair: string): [string, unknown] {
  const split = pair.indexOf("=");
  if (split < 1) throw misused(`${JSON.stringify(pair)} is not an argument`, "Write key=value, or --args JSON.");
  return [pair.slice(0, split), parseValue(pair.slice(split + 1))];
}

/** JSON where it is JSON, else the text itself. A whole number that JSON would round stays text. */
export function parseValue(text: string): unknown {
  if (/^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text))) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text; // most values are words
  }
}
