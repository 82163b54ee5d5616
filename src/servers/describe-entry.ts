import { isSeen } from "../config/check-entry.ts";
import type { RawEntry } from "../config/entry.ts";
import { riskyVariables } from "../config/risky-variables.ts";
import { fieldsOf } from "../system/fields.ts";

/** Longer than this, a description is not read. */
const mostShown = 4000;
/** Blanks enough to push what follows out of sight, and characters that look like blanks. */
const emptiness = /\s{20}|[\u115f\u1160\u2800\u3164\uffa0]/u;

/**
 * How a server is started or reached, whole, as the user must see it before it is added. Values of variables and headers
 * are shown only where they are not secret: where a model wrote them.
 */
export function describeEntry(
  { command, args, cwd, url, env, headers }: RawEntry,
  { withValues = false } = {},
): readonly string[] {
  const words = [command, ...(Array.isArray(args) ? args : [])].map((word) => shellQuoted(String(word)));
  const risky = riskyVariables(Object.keys(fieldsOf(env)));
  const pairs = withValues ? whole : named;
  return [
    ...(command === undefined ? [`url: ${String(url)}`] : [`command: ${words.join(" ")}`]),
    ...(cwd === undefined ? [] : [`folder: ${String(cwd)}`]),
    ...pairs("environment", env),
    ...pairs("headers", headers),
    ...(risky.length === 0 ? [] : [`caution: ${risky.join(", ")} can change which code it runs or whom it trusts`]),
  ];
}

/** Why the user could not see all of a description as it is; undefined when all can be seen. */
export function unshowable(lines: readonly string[]): string | undefined {
  if (lines.some((line) => !isSeen(line))) return "it has a character that is not shown; remove that";
  if (lines.some((line) => emptiness.test(line))) return "it has too many blanks in a row; write it with fewer";
  const length = lines.join("\n").length;
  return length <= mostShown ? undefined : `it takes ${length} characters to show, more than ${mostShown}`;
}

function whole(title: string, values: unknown): readonly string[] {
  return Object.entries(fieldsOf(values)).map(([name, value]) => `${title}: ${shellQuoted(`${name}=${value}`)}`);
}

/** References to variables are shown, for they say what is handed over; values are not. */
function named(title: string, values: unknown): readonly string[] {
  const shown = Object.entries(fieldsOf(values)).map(([name, value]) => {
    const references = [...String(value).matchAll(/\$\{[^{}]*\}/g)].map(([reference]) => reference);
    return references.length === 0 ? `${name} (a value that is not shown)` : `${name} = ${references.join(" ")}`;
  });
  return shown.length === 0 ? [] : [`${title}: ${shown.join(", ")}`];
}

/** A word as a POSIX shell takes it: as it is, or in quotes. */
export function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
