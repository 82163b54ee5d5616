import type { RawEntry } from "../config/entry.ts";
import { riskyVariables } from "../config/risky-variables.ts";

/** How a server is started or reached, whole, as the user must see it before it is added. Values stay hidden. */
export function describeEntry({ command, args, cwd, url, env, headers }: RawEntry): readonly string[] {
  const words = [command, ...((args ?? []) as unknown[])].map((word) => quoted(String(word)));
  const risky = riskyVariables(Object.keys((env ?? {}) as object));
  return [
    ...(command === undefined ? [`url: ${String(url)}`] : [`command: ${words.join(" ")}`]),
    ...(cwd === undefined ? [] : [`folder: ${String(cwd)}`]),
    ...named("environment", env),
    ...named("headers", headers),
    ...(risky.length === 0 ? [] : [`caution: ${risky.join(", ")} can change which code it runs or whom it trusts`]),
  ];
}

/** References to variables are shown, for they say what is handed over; values are not. */
function named(title: string, values: unknown): readonly string[] {
  const pairs = Object.entries((values ?? {}) as Record<string, unknown>);
  const shown = pairs.map(([name, value]) => {
    const references = [...String(value).matchAll(/\$\{[^{}]*\}/g)].map(([reference]) => reference);
    return references.length === 0 ? `${name} (a value that is not shown)` : `${name} = ${references.join(" ")}`;
  });
  return shown.length === 0 ? [] : [`${title}: ${shown.join(", ")}`];
}

/** A word as a POSIX shell takes it: as it is, or in quotes. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(word) && !word.includes("${") ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
