import { bytesAsJson } from "./conveniences.ts";

/** The arguments of a tool as JSON; throws where that cannot say them. */
export function argumentsText(args: object): string {
  // Most are flat, and a function that looks at every value takes ten times as long.
  if (isFlat(args)) return JSON.stringify(args);
  return JSON.stringify({ args }, onlyWhatJsonCanSay).slice('{"args":'.length, -1);
}

function isFlat(args: object): boolean {
  if (Object.getPrototypeOf(args) !== Object.prototype) return false;
  for (const key in args) {
    const value = (args as Record<string, unknown>)[key];
    if (typeof value !== "string" && typeof value !== "boolean" && !Number.isFinite(value) && value != null)
      return false;
  }
  return true;
}

/** JSON.stringify turns these into null or nothing without a word; an argument is sent as it is meant or not at all. */
function onlyWhatJsonCanSay(key: string, value: unknown): unknown {
  const refuse = (what: string): never => {
    throw new TypeError(`The argument "${key}" is ${what}, which JSON cannot say`);
  };
  if (typeof value === "number" && !Number.isFinite(value)) return refuse(String(value));
  if (typeof value === "function" || typeof value === "symbol") return refuse(`a ${typeof value}`);
  if (value instanceof Map || value instanceof Set) return refuse(`a ${value.constructor.name}`);
  return value;
}

/** Those of one of our operations, which take bytes too. */
export function operationText(args: unknown): string | undefined {
  return JSON.stringify(args, orBytes);
}

/** Read from the holder: a Buffer has turned itself into a list of numbers. */
function orBytes(this: Record<string, unknown>, key: string, value: unknown): unknown {
  return bytesAsJson(this[key]) ?? onlyWhatJsonCanSay(key, value);
}
