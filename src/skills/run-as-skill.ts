import { CoordinatorError } from "../errors.ts";
import type { Language } from "../sandbox/engine.ts";

interface Wanted {
  readonly name: string;
  readonly language: Language;
  /** The doc comment of the function. */
  readonly summary: string;
}

/** The code of a run as a module with one function: imports stay at the top, the last expression is returned. */
export async function runAsSkill(source: string, { name, language, summary }: Wanted): Promise<string> {
  const doc = summary.replace(/\s+/g, " ").replaceAll("*/", "* /").replaceAll("\\", "/").replaceAll('"', "'").trim();
  if (language === "python") {
    const { pythonNestingProblem } = await import("../runtime/python/compile.ts");
    refuse(pythonNestingProblem(source));
    return (await import("./python/wrap-function.ts")).wrapPython(source, name, doc);
  }
  const { nestingProblem } = await import("../runtime/typescript/nesting.ts");
  refuse(await nestingProblem(source));
  return (await import("./typescript/wrap-function.ts")).wrapTypeScript(source, name, doc);
}

function refuse(problem: { readonly message: string } | undefined): void {
  if (problem) throw new CoordinatorError("skill_invalid", `Nothing is stored: ${problem.message}`);
}
