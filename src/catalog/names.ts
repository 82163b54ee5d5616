import { createHash } from "node:crypto";

/**
 * The identifier of each exact name: legal and distinct, in TypeScript and in Python.
 *
 * - A name that is an ASCII identifier and not reserved stays as it is.
 * - Else every character outside [A-Za-z0-9_] becomes `_`, several leading `_` become one, a leading digit gets `_` before it and
 *   a reserved word `_` after it. A name without any ASCII letter or digit is `tool_<hash>`. Above 64 characters, the first 57
 *   are kept and `_<hash>` is added.
 * - Names that would become the same identifier, or one that is in use, all get `_<hash>`; a legal name always keeps its own.
 *
 * The hash is the first 6 hex digits of the SHA-256 of the exact name, and more of them only if those collide as well. The order
 * of the names plays no role. No identifier starts with `__`: generated code has that room for itself.
 */
export function identifiers(names: readonly string[], taken: ReadonlySet<string> = new Set()): Map<string, string> {
  const chosen = new Map<string, string>();
  const inUse = new Set(taken);
  let open: string[] = [];
  for (const name of new Set(names)) {
    if (isIdentifier(name) && !isReserved(name, taken)) {
      chosen.set(name, name);
      inUse.add(name);
    } else {
      open.push(name);
    }
  }
  for (const hashDigits of [0, 6, 12, 64]) {
    const wishes = groupBy(open, (name) => candidate(name, hashDigits, taken));
    open = [];
    for (const [wish, wishers] of wishes) {
      const [first, second] = wishers;
      if (first !== undefined && second === undefined && !inUse.has(wish)) {
        chosen.set(first, wish);
        inUse.add(wish);
      } else {
        open.push(...wishers);
      }
    }
  }
  return chosen;
}

/** Names that a library uses itself. */
export const libraryReserved: ReadonlySet<string> = new Set(["call", "list_tools"]);

/**
 * Names that no server's module may have: other modules of `mcp_tools`, and what `mcp_tools` itself exports, because in Python a
 * submodule replaces the export of the same name.
 */
export const moduleReserved: ReadonlySet<string> = new Set(
  "aio index call list_servers raw rest_of search ToolError _coordinator _runtime".split(" "),
);

const maxIdentifierLength = 64;

function candidate(name: string, hashDigits: number, taken: ReadonlySet<string>): string {
  if (!/[A-Za-z0-9]/.test(name)) return `tool_${hash(name, Math.max(6, hashDigits))}`;
  const mapped = name
    .replace(/[^A-Za-z0-9_]/gu, "_")
    .replace(/^_{2,}/, "_")
    .replace(/^(?=\d)/, "_");
  const legal = isReserved(mapped, taken) ? `${mapped}_` : mapped;
  if (hashDigits === 0 && legal.length <= maxIdentifierLength) return legal;
  return `${legal.slice(0, maxIdentifierLength - 7)}_${hash(name, Math.max(6, hashDigits))}`;
}

/** Whether a name is an identifier of both languages, but for reserved words. */
export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

function isReserved(name: string, taken: ReadonlySet<string>): boolean {
  return name.startsWith("__") || reservedWords.has(name) || taken.has(name);
}

function hash(name: string, digits: number): string {
  // Lone surrogates have no UTF-8. As UTF-16 after a byte that UTF-8 never has, such a name stays apart from all others.
  const isWellFormed = !/\p{Surrogate}/u.test(name);
  const bytes = isWellFormed ? name : Buffer.concat([Buffer.of(0xff), Buffer.from(name, "utf16le")]);
  return createHash("sha256").update(bytes).digest("hex").slice(0, digits);
}

function groupBy(names: readonly string[], key: (name: string) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const group = groups.get(key(name));
    if (group) group.push(name);
    else groups.set(key(name), [name]);
  }
  return groups;
}

/** Words that are not identifiers in TypeScript or in Python. */
export const reservedWords: ReadonlySet<string> = new Set(
  [
    // JavaScript and TypeScript, strict
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends false",
    "finally for function if implements import in instanceof interface let new null package private protected public return",
    "static super switch this throw true try typeof var void while with yield Infinity NaN undefined",
    // Python
    "False None True and as assert async def del elif except from global is lambda nonlocal not or pass raise",
    // a namespace that has it is taken for a promise when it is awaited
    "then",
  ]
    .join(" ")
    .split(" "),
);
