import type { ResultParts } from "../../engine.ts";
import { mediaLength } from "../../media-length.ts";
import { plainObject, TooLong, toJson } from "./plain.ts";

/** A result of at most so much, beside images and the like, is sent in one piece. */
const onePiece = 500_000;
/** The start of a longer one, of which the host shows what fits into its answer. */
const startLength = 200_000;
/** The host takes no more in one piece. */
const mostFrame = 16 * 1024 * 1024 - 1000;
const partLength = 1 << 16;

interface Leading extends ResultParts {
  readonly json: string;
}

/** How a result is sent: in one piece, or its JSON in parts, as far as it may be kept, and then its start. */
export function sendResult(value: unknown, mostBytes: number, write: (frame: string) => void): string {
  const json = jsonWithin(value, Math.max(mostBytes, mostFrame));
  if (json === undefined) return '{"type":"done"}';
  if (typeof json === "string" && isShort(json, Math.min(onePiece, mostBytes)))
    return `{"type":"done","value":${json}}`;
  const kept = typeof json === "string" && byteLength(json) <= mostBytes ? undefined : leading(value, mostBytes);
  const text = kept?.json ?? (json as string);
  for (let at = 0; at < text.length; at += partLength) {
    write(JSON.stringify({ type: "part", text: text.slice(at, at + partLength) }));
  }
  const start = leading(value, Math.min(startLength, mostBytes));
  const parts: ResultParts = { unit: start.unit, total: start.total, kept: kept?.kept ?? start.total };
  return `{"type":"done","value":${start.json},"parts":${JSON.stringify(parts)}}`;
}

function isShort(json: string, most: number): boolean {
  if (json.length <= most) return true;
  return json.length <= mostFrame && json.length - mediaLength(JSON.parse(json)) <= most;
}

/** The JSON of a value; a symbol when it is longer than that. */
function jsonWithin(value: unknown, most: number): string | undefined | typeof tooLong {
  try {
    return toJson(value, most);
  } catch (thrown) {
    if (thrown instanceof TooLong) return tooLong;
    throw thrown;
  }
}

const tooLong = Symbol("too long");

/** The JSON of as many leading members of a value as fit; of the first alone, where that does not fit, its own start. */
function leading(value: unknown, most: number): Leading {
  const plain = plainObject(value);
  if (typeof plain === "string") return leadingText(plain, most);
  if (Array.isArray(plain)) {
    const texts = fitting(plain.length, most - 2, (from, to) => inner(jsonWithin(plain.slice(from, to), most)));
    const first = plain.length > 0 && texts.kept === 0 ? [leading(plain[0], most - 2).json] : texts.texts;
    return {
      json: `[${first.join(",")}]`,
      unit: "items",
      total: plain.length,
      kept: Math.max(texts.kept, first.length && 1),
    };
  }
  if (typeof plain !== "object" || plain === null) {
    return { json: toJson(plain) ?? "null", unit: "items", total: 1, kept: 1 };
  }
  const entries = Object.entries(plain);
  const of = (from: number, to: number) => inner(jsonWithin(Object.fromEntries(entries.slice(from, to)), most));
  const texts = fitting(entries.length, most - 2, of);
  const [key, item] = entries[0] ?? ["", null];
  const isFirstCut = entries.length > 0 && texts.kept === 0;
  const first = isFirstCut
    ? [`${JSON.stringify(key)}:${leading(item, Math.max(most - byteLength(key) - 5, 0)).json}`]
    : texts.texts;
  return { json: `{${first.join(",")}}`, unit: "keys", total: entries.length, kept: isFirstCut ? 1 : texts.kept };
}

function leadingText(text: string, most: number): Leading {
  let kept = Math.min(text.length, most);
  let json = JSON.stringify(text.slice(0, kept));
  while (byteLength(json) > most && kept > 0) {
    kept = Math.floor(kept * Math.min(0.95, most / byteLength(json)));
    json = JSON.stringify(text.slice(0, kept));
  }
  return { json, unit: "characters", total: text.length, kept };
}

/** Members in stretches that double while they fit, and halve when they do not. */
function fitting(total: number, most: number, textOf: (from: number, to: number) => string | typeof tooLong) {
  const texts: string[] = [];
  let kept = 0;
  let left = most;
  let stretch = 1;
  while (kept < total && stretch >= 1) {
    const to = Math.min(kept + stretch, total);
    const text = textOf(kept, to);
    const length = text === tooLong ? Number.POSITIVE_INFINITY : byteLength(text) + 1;
    if (length > left) {
      stretch = Math.floor((to - kept) / 2);
      continue;
    }
    if (text !== "") texts.push(text as string);
    left -= length;
    kept = to;
    stretch *= 2;
  }
  return { texts, kept };
}

function inner(json: string | undefined | typeof tooLong): string | typeof tooLong {
  return json === tooLong ? json : (json ?? "[]").slice(1, -1);
}

function byteLength(text: string): number {
  return encoder.encode(text).length;
}

const encoder = new TextEncoder();
