import { CoordinatorError } from "../errors.ts";

/**
 * A JSON value in the one form that RFC 8785 gives it: keys sorted by their UTF-16 units, numbers and strings as ECMAScript
 * writes them, no blanks. What is judged, hashed, kept and shown of an act is this text, and what is sent has its value:
 * -0 is 0; an integer beyond 2^53 is the double that it became when it was parsed, before it came here; a number that
 * no double holds (1e400) cannot be sent, and is refused; half of a surrogate pair is escaped, as JSON.stringify does.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return JSON.stringify(value);
  if (typeof value === "number") {
    if (Number.isFinite(value)) return JSON.stringify(value);
    throw unsendable(`${value} is beyond what a number in JSON can be here`);
  }
  if (typeof value !== "object") throw unsendable(`${typeof value} is not JSON`);
  if (Array.isArray(value)) return listText(value);
  return objectText(value as Readonly<Record<string, unknown>>);
}

function listText(list: readonly unknown[]): string {
  let text = "[";
  for (let index = 0; index < list.length; index++) text += (index === 0 ? "" : ",") + canonicalJson(list[index]);
  return `${text}]`;
}

function objectText(object: Readonly<Record<string, unknown>>): string {
  let text = "{";
  for (const key of Object.keys(object).sort()) {
    const value = object[key];
    // As JSON.stringify has it: what is not there is not said.
    if (value === undefined) continue;
    text += `${text === "{" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(value)}`;
  }
  return `${text}}`;
}

function unsendable(why: string): CoordinatorError {
  return new CoordinatorError("input_invalid", `The arguments cannot be sent: ${why}`);
}
