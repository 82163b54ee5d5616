import { isPlain } from "./plain.ts";

const mostLevels = 200;
/** Of bytes and other numbers in a buffer no more are shown. */
const mostNumbers = 1000;
/** More parts than that end in an ellipsis, where they are not plain data. */
const mostParts = 1_000_000;

/**
 * An object as it is printed: its JSON, in which what JSON cannot say stands in words of JavaScript: `Set [1]`, `Map {"a":1}`, `10n`,
 * `undefined`. On one line, as a model reads it with the fewest tokens.
 */
export function show(value: object): string {
  if (isPlain(value)) return JSON.stringify(value);
  const shown = shower()(value, 0);
  // A moment or an address is printed as a text is: without quotes.
  return shown.startsWith('"') ? (JSON.parse(shown) as string) : shown;
}

function shower(): (value: unknown, level: number) => string {
  const path = new Set<object>();
  let left = mostParts;
  const showObject = (value: object, level: number): string => {
    const list = (items: Iterable<unknown>) => `[${[...shownItems(items)].join(",")}]`;
    function* shownItems(items: Iterable<unknown>) {
      for (const item of items) {
        if (left < 0) return;
        yield showPart(item, level);
      }
    }
    const members = (entries: Iterable<readonly [unknown, unknown]>): string => {
      const shown: string[] = [];
      for (const [key, item] of entries) {
        if (left < 0) break;
        shown.push(`${showPart(key, level)}:${showPart(item, level)}`);
      }
      return `{${shown.join(",")}}`;
    };
    if (Array.isArray(value)) return list(value);
    if (value instanceof Set) return `Set ${list(value)}`;
    if (value instanceof Map) return `Map ${members(value)}`;
    if (value instanceof RegExp) return String(value);
    if (value instanceof Error) return showError(value, members);
    if (value instanceof ArrayBuffer) return `ArrayBuffer ${numbers(new Uint8Array(value))}`;
    if (ArrayBuffer.isView(value) && !(value instanceof DataView))
      return `${value.constructor.name} ${numbers(value as Uint8Array)}`;
    const entries = Object.entries(value);
    const name = Object.prototype.toString.call(value).slice("[object ".length, -1);
    // A Promise, a WeakMap and their like keep what they hold to themselves.
    return entries.length === 0 && name !== "Object" ? `[${name}]` : members(entries);
  };
  const showPart = (value: unknown, level: number): string => {
    if (--left < 0 || level > mostLevels) return "…";
    if (typeof value === "string") return JSON.stringify(value);
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value === "function") return `[Function: ${value.name || "anonymous"}]`;
    if (typeof value !== "object" || value === null) return String(value);
    if (path.has(value)) return "[Circular]";
    path.add(value);
    try {
      const { toJSON } = value as { toJSON?: unknown };
      if (typeof toJSON === "function") return showPart(toJSON.call(value, ""), level + 1);
      return showObject(value, level + 1);
    } finally {
      path.delete(value);
    }
  };
  return showPart;
}

/** Without its stack, whose lines are not the author's. */
function showError(error: Error, members: (entries: Iterable<readonly [unknown, unknown]>) => string): string {
  const own = Object.entries(error).filter(([key, value]) => key !== "name" && value !== undefined);
  if (error.cause !== undefined) own.push(["cause", error.cause]);
  return `${error.name}: ${error.message}${own.length === 0 ? "" : ` ${members(own)}`}`;
}

function numbers(values: Uint8Array): string {
  const more = values.length - mostNumbers;
  return `[${values.subarray(0, mostNumbers).join(",")}${more > 0 ? `,… ${more} more` : ""}]`;
}
