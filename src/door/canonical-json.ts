import { CoordinatorError } from "../errors.ts";

/** Texts with half of a surrogate pair in them, all together, in characters: to write one takes V8 fifty times as long. */
const mostIllFormed = 100_000;

/**
 * A JSON value in the one form that RFC 8785 gives it: keys sorted by their UTF-16 units, numbers and strings as ECMAScript
 * writes them, no blanks. What is judged, hashed, kept and shown of an act is this text, and what is sent has its value:
 * -0 is 0; an integer beyond 2^53 is the double that it became when it was parsed, before it came here; a number that
 * no double holds (1e400) cannot be sent, and is refused; half of a surrogate pair is escaped, as JSON.stringify does.
 */
export function canonicalJson(value: unknown): string {
  return textOf(value, { illFormed: 0 });
}

interface Seen {
  illFormed: number;
}

function textOf(value: unknown, seen: Seen): string {
  if (typeof value === "string") return quoted(value, seen);
  if (typeof value === "boolean" || value === null) return String(value);
  if (typeof value === "number") {
    if (Number.isFinite(value)) return JSON.stringify(value);
    throw unsendable(`${value} is beyond what a number in JSON can be here`, "Send it as text.");
  }
  if (typeof value !== "object") throw unsendable(`a ${typeof value} is not JSON`);
  return Array.isArray(value) ? listText(value, seen) : objectText(value as Readonly<Record<string, unknown>>, seen);
}

function listText(list: readonly unknown[], seen: Seen): string {
  let text = "[";
  for (let index = 0; index < list.length; index++) text += (index === 0 ? "" : ",") + textOf(list[index], seen);
  return `${text}]`;
}

function objectText(object: Readonly<Record<string, unknown>>, seen: Seen): string {
  // JSON.stringify would write what toJSON gives, or what is boxed: something else than was judged.
  const prototype: unknown = Object.getPrototypeOf(object);
  if ((prototype !== Object.prototype && prototype !== null) || typeof object["toJSON"] === "function") {
    throw unsendable("an object that is not plain data is not JSON");
  }
  let text = "{";
  for (const key of Object.keys(object).sort()) {
    const value = object[key];
    // As JSON.stringify has it: what is not there is not said.
    if (value === undefined) continue;
    text += `${text === "{" ? "" : ","}${quoted(key, seen)}:${textOf(value, seen)}`;
  }
  return `${text}}`;
}

function quoted(text: string, seen: Seen): string {
  if (!text.isWellFormed()) {
    seen.illFormed += text.length;
    if (seen.illFormed > mostIllFormed) {
      throw unsendable(
        "too much of its text has half of a surrogate pair in it",
        "Cut text between characters, and send bytes as base64.",
      );
    }
  }
  return JSON.stringify(text);
}

function unsendable(why: string, hint?: string): CoordinatorError {
  return new CoordinatorError("input_invalid", `The arguments cannot be sent: ${why}`, { hint });
}
