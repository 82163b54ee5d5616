import { Script } from "node:vm";
import { CoordinatorError } from "../errors.ts";
import { fieldsOf } from "../system/fields.ts";

/** For all lines of a file together; a pattern that backtracks without end is stopped by then. */
const patienceMs = 3000;

// The pattern and the text are data to it, in a context that holds nothing else.
const matcher = new Script(`{
  const expression = new RegExp(pattern, flags);
  const fitting = [];
  text.split(/\\r?\\n/).forEach((line, index) => { if (expression.test(line)) fitting.push(index + 1); });
  fitting;
}`);

/** Which lines are wanted, by number and text: those that contain a text or, between slashes, match a regular expression. */
export function lineFilter(matching: string, text: string): (number: number, line: string) => boolean {
  const [, pattern, flags = ""] = /^\/(.+)\/([imsu]*)$/s.exec(matching) ?? [];
  if (pattern === undefined) return (_number, line) => line.includes(matching);
  const fitting = new Set(linesThatFit({ pattern, flags, text }));
  return (number) => fitting.has(number);
}

function linesThatFit(question: { pattern: string; flags: string; text: string }): Iterable<number> {
  const refuse = (why: string, hint: string) =>
    new CoordinatorError("input_invalid", `Cannot match lines with ${`/${question.pattern}/`.slice(0, 220)}: ${why}`, {
      hint,
    });
  try {
    return Array.from(matcher.runInNewContext(question, { timeout: patienceMs }) as Iterable<number>);
  } catch (thrown) {
    const { name, code, message } = fieldsOf(thrown);
    if (code === "ERR_SCRIPT_EXECUTION_TIMEOUT") {
      throw refuse(`it took longer than ${patienceMs} ms`, "Repeat less inside of what is repeated.");
    }
    // An error of the other context is not an instance of this one's classes.
    if (name === "SyntaxError") throw refuse(String(message), "Without the slashes it is looked for as plain text.");
    throw thrown;
  }
}
