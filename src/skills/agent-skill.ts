import { parse, stringify } from "yaml";
import { messageOf } from "../errors.ts";
import { readTags } from "./file-text.ts";
import { importLine, signatureLine } from "./import-line.ts";
import type { SkillVersion } from "./skill-store.ts";

/** The name of a skill as Agent Skills spell it, which is also the name of its folder: with hyphens. */
export function agentSkillName(name: string): string {
  return name.replace(/_+/g, "-").replace(/-$/, "");
}

/** The text of SKILL.md: front matter for programs, and for a model how the code beside it is used. */
export function agentSkillText(
  skill: SkillVersion,
  files: { readonly code: string; readonly tests?: string | undefined },
): string {
  const { name, version, language, description, tags, entry, tools } = skill;
  // Values of metadata are texts: that is all the format knows.
  const metadata = {
    skill: name,
    language,
    version: String(version),
    code: files.code,
    ...(files.tests !== undefined && { tests: files.tests }),
    ...(tags.length > 0 && { tags: tags.join(", ") }),
    ...(tools.length > 0 && { tools: tools.map(({ server, tool }) => `${server}.${tool}`).join(", ") }),
  };
  const front = stringify({ name: agentSkillName(name), description, metadata }, { lineWidth: 0 });
  const parameters = entry.parameters.flatMap(({ name: parameter, description: text }) =>
    text ? [`- \`${parameter}\`: ${text}`] : [],
  );
  return `---
${front}---

# ${name}

${description}

The code is in \`${files.code}\`; with mcp-coordinator it is imported as

\`\`\`${language}
${importLine(skill)}
\`\`\`

and called as \`${signatureLine(skill)}\`.
${parameters.length > 0 ? `\n${parameters.join("\n")}\n` : ""}`;
}

/** What a SKILL.md says, ours or another's. */
export interface AgentSkill {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly language?: "typescript" | "python" | undefined;
  /** The files beside it that hold the code and its tests, when it says so. */
  readonly code?: string | undefined;
  readonly tests?: string | undefined;
}

/** Throws with the reason when it cannot be read. */
export function readAgentSkill(text: string): AgentSkill {
  const [, front] = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  if (front === undefined) throw new Error("SKILL.md does not begin with front matter between two lines of ---");
  const fields = readFields(front);
  const metadata = objectOf(fields["metadata"]);
  const field = (key: string): string | undefined => textOf(metadata[key]);
  const name = field("skill") ?? textOf(fields["name"])?.toLowerCase().replace(/-/g, "_");
  const description = textOf(fields["description"]);
  if (name === undefined || description === undefined) throw new Error("SKILL.md has no name or no description");
  const language = field("language");
  return {
    name,
    description,
    tags: readTags(field("tags") ?? ""),
    ...((language === "typescript" || language === "python") && { language }),
    code: field("code"),
    tests: field("tests"),
  };
}

function readFields(front: string): Record<string, unknown> {
  try {
    return objectOf(parse(front, { maxAliasCount: 10 }));
  } catch (thrown) {
    throw new Error(`the front matter of SKILL.md is not YAML: ${messageOf(thrown)}`);
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
