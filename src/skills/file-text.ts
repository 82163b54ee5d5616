import type { SkillDraft } from "./skill-store.ts";

/** What a person writes of a skill in its file; the rest is read from the code. */
export interface SkillText {
  readonly code: string;
  readonly tests?: string | undefined;
  /** Absent: the first line of the doc comment. */
  readonly description?: string | undefined;
  readonly tags: readonly string[];
}

const comments = { typescript: "//", python: "#" } as const;

/** A skill as its file: a head of comments, an empty line, the code as it is. */
export function fileText({
  name,
  language,
  description,
  tags,
  code,
}: Omit<SkillDraft, "entry" | "tools" | "imports">): string {
  const comment = comments[language];
  const head = [
    `${comment} Skill ${name}: an edit of this file becomes its next version.`,
    // What the code says itself is not repeated, so that it can be changed in one place.
    ...(code.includes(description) ? [] : [`${comment} description: ${description}`]),
    ...(tags.length > 0 ? [`${comment} tags: ${tags.join(", ")}`] : []),
  ];
  return `${head.join("\n")}\n\n${code}${code.endsWith("\n") ? "" : "\n"}`;
}

/** The file of a skill, read back. A file without our head is all code. */
export function readFileText(text: string, language: SkillDraft["language"]): SkillText {
  const comment = comments[language];
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  if (!lines[0]?.startsWith(`${comment} Skill `)) return { code: lines.join("\n"), tags: [] };
  const end = lines.findIndex((line) => !line.startsWith(comment));
  const head = end === -1 ? lines : lines.slice(0, end);
  const code = end === -1 ? [] : lines.slice(lines[end] === "" ? end + 1 : end);
  const field = (key: string): string | undefined =>
    head
      .find((line) => line.startsWith(`${comment} ${key}:`))
      ?.slice(`${comment} ${key}:`.length)
      .trim() || undefined;
  return { code: code.join("\n"), description: field("description"), tags: readTags(field("tags") ?? "") };
}

export function readTags(text: string): string[] {
  return [...new Set(text.split(",").flatMap((tag) => tag.trim() || []))];
}
