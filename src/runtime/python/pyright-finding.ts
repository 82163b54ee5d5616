import type { Problem } from "../checks/problem.ts";
import type { Diagnostic, TextPosition } from "./language-server.ts";

/** Something that pyright, or we, found in the guest's own text, by offsets in it. */
export interface PyrightFinding extends Pick<Problem, "missing" | "meant" | "about" | "unknownName"> {
  readonly from: number;
  readonly to: number;
  /** pyright's rule; what is no Python at all has none. */
  readonly rule: string | undefined;
  readonly message: string;
}

/** pyright's findings in a text, without those in its first `skippedLines` lines, which are not the guest's. */
export function findingsIn(text: string, diagnostics: readonly Diagnostic[], skippedLines: number): PyrightFinding[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\r|\n/g)) starts.push(match.index + match[0].length);
  const before = starts[skippedLines] ?? text.length;
  const offset = ({ line, character }: TextPosition) => (starts[line] ?? text.length) + character - before;
  return diagnostics
    .filter(({ range, severity }) => range.start.line >= skippedLines && (severity ?? 1) <= 3)
    .map(({ range, code, message }) => ({
      from: Math.max(0, offset(range.start)),
      to: offset(range.end),
      rule: code,
      message,
    }));
}
