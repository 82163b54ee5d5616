import type { Language } from "../sandbox/engine.ts";
import type { SkillSource } from "./skill-source.ts";

/** What the code of a skill says of itself, whatever its language. */
export async function readSkill(name: string, language: Language, source: string): Promise<SkillSource> {
  if (language === "python") return (await import("./python/entry-function.ts")).readPythonSkill(name, source);
  const { nestingProblem } = await import("../runtime/typescript/nesting.ts");
  const problem = await nestingProblem(source);
  if (problem) return { summary: "", libraries: [], imports: [], problems: [problem] };
  return (await import("./typescript/entry-function.ts")).readTypeScriptSkill(name, source);
}
