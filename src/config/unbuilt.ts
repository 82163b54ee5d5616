import { isDeepStrictEqual } from "node:util";
import type { Path, Problem } from "./document.ts";

/**
 * What the schema accepts and this version does not do yet: certain values, or anything but the default. A setting that
 * nothing reads is refused, never ignored. Whoever builds one deletes its line.
 */
const unbuilt: readonly { at: Path; values?: readonly string[]; anythingBut?: unknown }[] = [
  { at: ["output", "format"], values: ["toon"] },
  { at: ["policy", "rules"], anythingBut: [] },
  { at: ["storage", "audit"], anythingBut: ["sqlite"] },
];

/** The settings in a file that are not in this version. */
export function unbuiltProblems(file: unknown): readonly Problem[] {
  return unbuilt.flatMap(({ at, values, anythingBut }) => {
    const path = ["coordinator", ...at];
    const written = path.reduce(member, file);
    if (written === undefined) return [];
    if (values === undefined) {
      const isDefault = isDeepStrictEqual(written, anythingBut);
      return isDefault ? [] : [{ path, text: `not in this version; only ${JSON.stringify(anythingBut)} is` }];
    }
    if (!Array.isArray(written)) return values.includes(String(written)) ? [unbuiltValue(path, written)] : [];
    return written.flatMap((item, index) => (values.includes(item) ? [unbuiltValue([...path, index], item)] : []));
  });
}

function unbuiltValue(path: Path, value: unknown): Problem {
  return { path, text: `${JSON.stringify(value)} is not in this version` };
}

function member(value: unknown, key: string | number): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string | number, unknown>)[key];
}
