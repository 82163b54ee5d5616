import type { Language } from "../../sandbox/engine.ts";
import type { Problem } from "../checks/problem.ts";
import { unreadable } from "../source.ts";

/** How a language tells whether a text is written in it. */
interface Reader {
  /** Whether its grammar takes the text. */
  parses(source: string): Promise<boolean>;
  /** The names that it has without an import, and the other language does not. */
  ownNames(): Promise<ReadonlySet<string>>;
  /** Those that the text defines in it. */
  defined(source: string): Promise<readonly string[]>;
}

// Loaded when code is wrong: a run of one language does not need the parser of the other.
const readers: Readonly<Record<Language, Reader>> = {
  typescript: {
    async parses(source) {
      const { nestingProblem } = await import("../typescript/nesting.ts");
      if (await nestingProblem(source)) return false;
      const { parseScript } = await import("../typescript/syntax.ts");
      return parseScript(source).errors.length === 0;
    },
    ownNames: async () => namesOfScripts,
    defined: async () => [],
  },
  python: {
    async parses(source) {
      const { isWellFormed } = await import("../python/syntax-tree.ts");
      return isWellFormed(source);
    },
    async ownNames() {
      const { namesIn } = await import("../python/standard-library.ts");
      return new Set(namesIn("builtins"));
    },
    async defined(source) {
      const { compilePython } = await import("../python/compile.ts");
      return compilePython(source).declared.map(({ name }) => name);
    },
  },
};

const namesOfScripts = new Set(["console", "document", "globalThis", "JSON", "Math", "Object", "Promise", "window"]);

const advice: Readonly<Record<Language, string>> = {
  python: 'This looks like Python: pass language: "python".',
  typescript: 'This looks like TypeScript: pass language: "typescript", or leave it out.',
};

/**
 * What is to be said of code that was sent as one language and is written in the other: only that one's grammar takes it,
 * or both do and all that is wrong are names that it has in the other one.
 */
export async function otherLanguage(
  language: Language,
  source: string,
  problems: readonly Problem[],
): Promise<string | undefined> {
  if (unreadable(source) || problems.some(({ module }) => module)) return undefined;
  const other = language === "python" ? "typescript" : "python";
  if (!(await readers[other].parses(source))) return undefined;
  if (!(await readers[language].parses(source))) return advice[other];
  const names = problems.map((problem) => wordAt(source, problem));
  const ownNames = await readers[other].ownNames();
  if (!names.some((name) => ownNames.has(name))) return undefined;
  const defined = await readers[other].defined(source);
  return names.every((name) => ownNames.has(name) || defined.includes(name)) ? advice[other] : undefined;
}

function wordAt(source: string, { line, column }: Problem): string {
  const text = source.split("\n")[line - 1]?.slice(column - 1, column + 40) ?? "";
  return /^[\p{L}\p{N}_$]+/u.exec(text)?.[0] ?? "";
}
