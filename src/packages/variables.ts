import { CoordinatorError } from "../errors.ts";

const namePattern = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
/** These change how programs are loaded and what they execute. */
const loaderNames = /^(LD_.*|DYLD_.*|PYTHON.*|DENO_.*|NODE_.*|PATH)$/i;
const mostBytes = 32 * 1024;
const mostVariables = 100;
const shownCharacters = 2;
/** Shorter values are not shown at all: their beginning would be most of them. */
const hintedLength = 12;

/** The variables after a change; an empty value removes one. Throws input_invalid with every problem in it. */
export function changeVariables(
  before: Readonly<Record<string, string>>,
  change: Readonly<Record<string, string>>,
): Record<string, string> {
  const problems = Object.entries(change).flatMap(([name, value]) => problemOf(name, value) ?? []);
  const after = Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== ""));
  if (Object.keys(after).length > mostVariables) problems.push(`there can be at most ${mostVariables} variables`);
  if (problems.length === 0) return after;
  throw new CoordinatorError("input_invalid", `Cannot set variables: ${problems.join("; ")}`, {
    hint: "Nothing was set.",
  });
}

function problemOf(name: string, value: string): string | undefined {
  const shown = JSON.stringify(name.slice(0, 80));
  if (!namePattern.test(name)) return `${shown} is not a variable name`;
  if (loaderNames.test(name)) return `${shown} changes how programs are loaded, which guests may not do`;
  if (value.includes("\0") || Buffer.byteLength(value) > mostBytes) {
    return `the value of ${shown} holds a NUL or more than ${mostBytes / 1024} KB`;
  }
  return undefined;
}

/** Enough of a value to recognise it by. */
export function hintOf(value: string): string {
  const length = [...value].length;
  return `${length < hintedLength ? "" : [...value].slice(0, shownCharacters).join("")}… (${length} characters)`;
}
