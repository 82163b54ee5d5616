import type { Problem } from "../runtime/checks/problem.ts";
import type { SkillEntry, SkillParameter } from "./skill-store.ts";

/** What the code of a skill says of itself. */
export interface SkillSource {
  /** Absent when no function, or none of several, is the one. */
  readonly entry?: SkillEntry;
  /** The first line of the entry function's doc comment. */
  readonly summary: string;
  readonly libraries: readonly LibraryUse[];
  /** The skills that it imports: `clean_rows`, `clean_rows@2`. */
  readonly imports: readonly string[];
  readonly problems: readonly Problem[];
}

/** What is imported of `mcp_tools/<module>`: an identifier, or `*` when it can be anything. */
export interface LibraryUse {
  readonly module: string;
  readonly identifier: string;
}

/** A function that importers of the code can call. */
export interface Candidate {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  readonly doc: string | undefined;
  readonly entry: Omit<SkillEntry, "function">;
}

interface Words {
  /** How a function is written that can be imported. */
  readonly function: (name: string) => string;
  readonly doc: string;
  /** One, and where it stands. */
  readonly docExample: string;
  /** The description of each parameter in a doc comment. */
  readonly describe: (doc: string) => ReadonlyMap<string, string>;
}

/** The function named like the skill, else `main`, else the only one; with what its doc comment says. */
export function readEntry(
  name: string,
  candidates: readonly Candidate[],
  words: Words,
): Omit<SkillSource, "libraries" | "imports"> {
  const chosen =
    candidates.find((candidate) => candidate.name === name) ??
    candidates.find((candidate) => candidate.name === "main") ??
    (candidates.length === 1 ? candidates[0] : undefined);
  if (!chosen) {
    const message =
      candidates.length === 0
        ? `There is no function that others can import: write ${words.function(name)}`
        : `It is not clear which function is meant, ${candidates.map((candidate) => candidate.name).join(" or ")}: name one of them ${name}`;
    const { line, column } = candidates[0] ?? { line: 1, column: 1 };
    return { summary: "", problems: [{ line, column, message }] };
  }
  const summary = firstLine(chosen.doc ?? "");
  const message = `The function ${chosen.name} has no ${words.doc} that says what it does: write ${words.docExample}`;
  const problems = summary === "" ? [{ line: chosen.line, column: chosen.column, message }] : [];
  const described = words.describe(chosen.doc ?? "");
  const parameters = chosen.entry.parameters.map((parameter): SkillParameter => {
    const description = described.get(parameter.name);
    return description ? { ...parameter, description } : parameter;
  });
  return { entry: { function: chosen.name, ...chosen.entry, parameters }, summary, problems };
}

function firstLine(doc: string): string {
  return (
    doc
      .split("\n")
      .map((line) => line.trim())
      .find((line) => line !== "" && !line.startsWith("@") && !line.startsWith(":param")) ?? ""
  );
}
