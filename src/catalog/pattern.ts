import { Script } from "node:vm";
import { CoordinatorError } from "../errors.ts";
import { fieldsOf } from "../system/fields.ts";

const maxPatternLength = 200;
/** For all texts together. A pattern that backtracks without end is stopped by then, and with it the search. */
const patienceMs = 100;

// The pattern and the texts are data to it, in a context that holds nothing else.
const matcher = new Script(`{
  const expression = new RegExp(pattern, "i");
  texts.map((parts) => parts.findIndex((part) => expression.test(part)));
}`);

/** The regular expression of a query written as `/…/`; undefined for any other query. */
export function readPattern(query: string): string | undefined {
  return /^\/(.+)\/i?$/s.exec(query.trim())?.[1];
}

/** For each text, given as its parts, the number of the first part that fits the pattern; -1 where none does. Ignores case. */
export function matchPattern(pattern: string, texts: readonly (readonly string[])[]): number[] {
  const refuse = (why: string, hint?: string) =>
    new CoordinatorError("input_invalid", `Cannot search for ${JSON.stringify(`/${pattern}/`.slice(0, 220))}: ${why}`, {
      hint,
    });
  if (pattern.length > maxPatternLength) throw refuse(`it is longer than ${maxPatternLength} characters`);
  try {
    return Array.from(matcher.runInNewContext({ pattern, texts }, { timeout: patienceMs }) as Iterable<number>);
  } catch (thrown) {
    const { name, code, message } = fieldsOf(thrown);
    if (code === "ERR_SCRIPT_EXECUTION_TIMEOUT") {
      throw refuse(
        `it took longer than ${patienceMs} ms`,
        "Repeat less inside of what is repeated, or search by words.",
      );
    }
    // An error of the other context is not an instance of this one's classes.
    if (name === "SyntaxError")
      throw refuse(String(message).replace(/^.*\/i: /s, ""), "Search by words, or correct it.");
    throw thrown;
  }
}
