import * as z from "zod";
import { isMoment } from "../../door/journal.ts";
import type { Language } from "../../sandbox/engine.ts";
import type { SkillDetails, SkillFile, SkillSummary, SkillVersion } from "../../skills/skill-store.ts";
import { parseStored } from "./damaged-row.ts";

export interface SummaryRow {
  readonly name: string;
  readonly version: number;
  readonly language: Language;
  readonly saved_at: number;
  readonly description: string;
  readonly details: string;
}

export interface VersionRow extends SummaryRow {
  readonly tests: string | null;
  readonly code: string;
}

export interface FileRow {
  readonly name: string;
  readonly file_mark: string | null;
  readonly file_version: number | null;
  readonly latest: number | null;
  readonly file_problem: string | null;
}

const toolNames = z.array(z.looseObject({ server: z.string(), tool: z.string() }));
/** What has to hold of the details for the rest of the program to work on them. */
const soundDetails = z.looseObject({
  tags: z.array(z.string()),
  entry: z.looseObject({ function: z.string(), parameters: z.array(z.looseObject({ name: z.string() })) }),
  tools: toolNames,
  imports: z.array(z.string()),
  limit: z.looseObject({ servers: z.array(z.string()).optional(), tools: toolNames.optional() }).optional(),
});

/** Undefined when the row cannot be read. */
export function summaryOf(row: SummaryRow): SkillSummary | undefined {
  const { name, version, language, saved_at, description } = row;
  const details = parseStored(row.details);
  if (!isMoment(saved_at) || !soundDetails.safeParse(details).success) return undefined;
  return { name, version, language, description, ...(details as SkillDetails), savedAt: saved_at };
}

export function versionOf(row: VersionRow): SkillVersion | undefined {
  const summary = summaryOf(row);
  return summary && { ...summary, ...(row.tests !== null && { tests: row.tests }), code: row.code };
}

export function readable(rows: readonly SummaryRow[]): SkillSummary[] {
  return rows.flatMap((row) => summaryOf(row) ?? []);
}

export function fileOf({ name, file_mark, file_version, latest, file_problem }: FileRow): SkillFile {
  return {
    name,
    mark: file_mark ?? undefined,
    version: file_version ?? undefined,
    latest: latest ?? undefined,
    problem: file_problem ?? undefined,
  };
}
