/**
 * A value as JSON text, keeping as much of it as JSON can say: what JSON.stringify drops or refuses
 * (cycles, big integers, maps, sets, functions, NaN) is shown in a readable form instead. Throws TooLong where there would
 * be more of it than asked for.
 */
export function toJson(value: unknown, most = Number.POSITIVE_INFINITY): string | undefined {
  let left = most;
  const path: { shown: object; original: object }[] = [];
  return JSON.stringify(value, function (this: object, _key, item: unknown) {
    left -= typeof item === "string" ? item.length + 3 : 2; // at least, with what stands between it and the next
    if (left < -3) throw new TooLong();
    while (path.length > 0 && path.at(-1)?.shown !== this) path.pop();
    if (typeof item === "bigint" || typeof item === "symbol") return String(item);
    if (typeof item === "function") return `[Function: ${item.name || "anonymous"}]`;
    if (typeof item === "number" && !Number.isFinite(item)) return String(item);
    if (typeof item !== "object" || item === null) return item;
    if (path.some(({ original }) => original === item)) return "[Circular]";
    const shown = showObject(item);
    path.push({ shown, original: item });
    return shown;
  });
}

/** The JSON would be longer than it may be. */
export class TooLong extends Error {}

/** What JSON is made of: a value's own JSON form, with maps, sets and the like as lists and objects. */
export function plainObject(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === "function" ? (toJSON.call(value, "") as unknown) : showObject(value);
}

function showObject(item: object): object {
  if (item instanceof Map) {
    const entries = [...item];
    return entries.every(([key]) => typeof key === "string") ? Object.fromEntries(entries) : entries;
  }
  if (item instanceof Set) return [...item];
  if (item instanceof Error) return { ...item, name: item.name, message: item.message };
  if (item instanceof RegExp) return { regexp: String(item) };
  if (ArrayBuffer.isView(item) && !(item instanceof DataView)) return Array.from(item as Uint8Array);
  if (item instanceof ArrayBuffer) return Array.from(new Uint8Array(item));
  return item;
}

/** Whether JSON text says everything there is in a value, so that it can be printed as JSON. */
export function isPlain(value: unknown, depth = 0): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > 32) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value)) return value.every((item) => isPlain(item, depth + 1));
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((item) => isPlain(item, depth + 1));
}
