import { pythonStubs } from "../../codegen/python/stubs.ts";
import type { GuestSource } from "./guest-source.ts";

/** The keys of a dictionary type in the stubs of the libraries. */
export function keysOf(guest: GuestSource, name: string): string[] | undefined {
  if (!/^\w+$/.test(name)) return undefined;
  for (const library of guest.libraries) {
    if (library.tools.length === 0) continue;
    const lines = pythonStubs(library).split("\n");
    const at = lines.findIndex(
      (line) => line.startsWith(`class ${name}(`) || line.startsWith(`${name} = `) || line.startsWith(`${name}: `),
    );
    const header = lines[at];
    if (!header?.includes("TypedDict")) continue;
    return header.startsWith("class ") ? fieldsBelow(lines, at) : keysWithin(header);
  }
  return undefined;
}

function fieldsBelow(lines: readonly string[], header: number): string[] {
  const end = lines.findIndex((line, index) => index > header && /^\S/.test(line));
  return lines.slice(header + 1, end < 0 ? undefined : end).flatMap((line) => /^ {4}(\w+):/.exec(line)?.[1] ?? []);
}

/** The keys of `T = TypedDict("T", {"key": type, …})`: the texts that a colon follows. */
function keysWithin(line: string): string[] {
  const texts = line.matchAll(/"((?:[^"\\]|\\(?:[\s\S]|$))*)(?:"(: )?|$)/g);
  return [...texts].flatMap(([, text = "", colon]) => (colon === undefined ? [] : [text]));
}
