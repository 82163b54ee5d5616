import type { Rest } from "../../messages.ts";

/** By the values that calls gave; gone with them. */
const rests = new WeakMap<object, Rest>();

export function keepRest(value: unknown, rest: Rest): void {
  rests.set(value as object, rest);
}

/** The content items and `_meta` that the server sent beside the value of a call. */
export function restOf(value: unknown): Rest {
  if (typeof value === "object" && value !== null) return rests.get(value) ?? { content: [] };
  throw new TypeError(
    `rest_of takes the object or list that a call gave, not a ${typeof value}: call with raw instead`,
  );
}
