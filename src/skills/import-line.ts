import type { SkillSummary } from "./skill-store.ts";

/** The statement that imports a skill's function in its language; of a certain version when one is named. */
export function importLine(
  { name, language, entry }: Pick<SkillSummary, "name" | "language" | "entry">,
  version?: number,
): string {
  if (language === "python") {
    return `from skills.${name}${version === undefined ? "" : `.v${version}`} import ${entry.function}`;
  }
  return `import { ${entry.function} } from "skills/${name}${version === undefined ? "" : `@${version}`}"`;
}

/** The function as its language writes it, without its body. */
export function signatureLine({ language, entry }: Pick<SkillSummary, "language" | "entry">): string {
  const parameters = entry.parameters.map(({ name, type, optional }) => {
    if (language === "python") return `${name}${type ? `: ${type}` : ""}${optional ? " = ..." : ""}`;
    return `${name}${optional ? "?" : ""}${type ? `: ${type}` : ""}`;
  });
  const rest = entry.rest === undefined ? [] : [`${language === "python" ? "**" : "..."}${entry.rest}`];
  const list = [...parameters, ...rest].join(entry.calling === "object" ? "; " : ", ");
  return `${entry.function}(${entry.calling === "object" ? `{ ${list} }` : list})`;
}
