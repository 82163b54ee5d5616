import type { Language } from "../../sandbox/engine.ts";

/** Longer code is not parsed only to be looked at. */
const longest = 8000;
const shebang = /^#!.*\b(?:(python[\d.]*|pytest|uv)|(deno|node|bun|tsx|ts-node))\b/;
/** What only Python calls so, in code that would be TypeScript too. */
const onlyInPython = /(?<![.\w"'`])(?:print|len|range|str|int)\(|(?<![.\w"'`])(?:None|True|False|elif)\b/;

/**
 * What code is written in, where nobody says: the language that it parses in; of both, the one whose words it has.
 * Undefined when it could be either, or is neither.
 */
export async function languageOfCode(source: string): Promise<Language | undefined> {
  const [, python, script] = shebang.exec(source) ?? [];
  if (python !== undefined || script !== undefined) return python === undefined ? "typescript" : "python";
  if (source.length > longest) return looksLikePython(source) ? "python" : undefined;
  const [{ parseScript }, { isWellFormed }] = await Promise.all([
    import("../typescript/syntax.ts"),
    import("../python/syntax-tree.ts"),
  ]);
  const isTypeScript = parseScript(source).errors.length === 0;
  const isPython = isWellFormed(source);
  if (isTypeScript !== isPython) return isPython ? "python" : "typescript";
  return (isPython ? onlyInPython.test(source) : looksLikePython(source)) ? "python" : undefined;
}

/** Whether there are lines that only Python has. */
export function looksLikePython(source: string): boolean {
  return /^(from [\w.]+ import |import [\w.]+( as \w+)?$|(async )?def \w+\(.*:$|(for|if|while|with|try)\b.*:$)/m.test(
    source,
  );
}
