import { isIdentifier } from "../../catalog/names.ts";

/** Whether a name can stand in Python code as it is. ASCII only: Python would take other letters for their compatibility forms. */
export function isPythonIdentifier(name: string): boolean {
  return isIdentifier(name) && !pythonKeywords.has(name);
}

export const pythonKeywords: ReadonlySet<string> = new Set(
  [
    "False None True and as assert async await break class continue def del elif else except finally for from global if",
    "import in is lambda nonlocal not or pass raise return try while with yield",
    // no keyword, and yet no name for a parameter
    "__debug__",
  ]
    .join(" ")
    .split(" "),
);
