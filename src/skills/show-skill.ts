import { plainLine } from "../catalog/plain-text.ts";
import type { SkillLimit } from "../runtime/modules/module-source.ts";
import { importLine, signatureLine } from "./import-line.ts";
import type { SkillParameter, SkillSummary } from "./skill-store.ts";

/** A skill in a list. */
export interface ListedSkill {
  readonly name: string;
  readonly version: number;
  readonly language: SkillSummary["language"];
  readonly description: string;
  readonly tags: readonly string[];
  readonly import: string;
  /** What its importers may call, when it was saved by a run that might not call everything. */
  readonly limit?: string;
  /** What has changed under it since it was saved. */
  readonly stale?: readonly string[];
  /** Why the edit in its file was not taken over. */
  readonly problem?: string;
}

export function listedSkill(skill: SkillSummary, stale: readonly string[], problem?: string): ListedSkill {
  const { name, version, language, description, tags, limit } = skill;
  return {
    name,
    version,
    language,
    description,
    tags,
    import: importLine(skill),
    ...(limit && { limit: showLimit(limit) }),
    ...(stale.length > 0 && { stale }),
    ...(problem !== undefined && { problem }),
  };
}

/** A limit as a line: a run that imports the skill has no more. */
export function showLimit({ servers, tools }: SkillLimit): string {
  const parts = [
    ...(servers ? [`servers: ${servers.join(", ") || "none"}`] : []),
    ...(tools ? [`tools: ${tools.map(({ server, tool }) => `${server}.${tool}`).join(", ") || "none"}`] : []),
  ];
  return `limits the runs that import it to ${parts.join("; ")}`;
}

const longestLine = 200;

export function showListed(skills: readonly ListedSkill[], none: string): string {
  return skills.map(showOne).join("\n") || none;
}

function showOne({ name, version, language, description, tags, limit, stale, problem }: ListedSkill): string {
  const about = [`version ${version}`, language, ...(tags.length > 0 ? [tags.join(", ")] : [])].join("; ");
  return [
    `${name} (${about}): ${plainLine(description, longestLine)}`,
    ...(limit === undefined ? [] : [`  ${plainLine(limit, longestLine)}`]),
    ...(stale ?? []).map((reason) => `  stale: ${plainLine(reason, longestLine)}`),
    ...(problem === undefined ? [] : [`  its file was not taken over: ${plainLine(problem, longestLine)}`]),
  ].join("\n");
}

/** Skills among the results of a search over tools. */
export function showFoundSkills(skills: readonly SkillSummary[], detail: "names" | "signatures" | "full"): string {
  if (skills.length === 0) return "";
  const shown = skills.map((skill) => {
    const what = plainLine(skill.description, longestLine);
    const comment = skill.language === "python" ? "#" : "//";
    if (detail === "names") return `${skill.name}: ${what}`;
    return `${comment} ${what}\n${detail === "full" ? showUse(skill) : `${importLine(skill)}\n${signatureLine(skill)}`}`;
  });
  return ["Skills, saved functions:", ...shown].join("\n");
}

/** How it is imported and what it takes, as comments cannot say it better than code. */
export function showUse(skill: SkillSummary, version?: number): string {
  const described = skill.entry.parameters.filter(({ description }) => description !== undefined);
  return [importLine(skill, version), signatureLine(skill), ...described.map(showParameter)].join("\n");
}

function showParameter({ name, description = "" }: SkillParameter): string {
  return `  ${name}: ${plainLine(description, longestLine)}`;
}
