import { CoordinatorError } from "../errors.ts";
import { printable, quoted } from "../system/printable.ts";
import type { ConfigProblem, Document, Path } from "./document.ts";

const MOST = 100;

/** All problems in one error, in the order of the file; of several at one path only the first is told. */
export function invalidConfig(file: string, document: Document, problems: readonly ConfigProblem[]): CoordinatorError {
  const byPath = new Map<string, ConfigProblem>();
  for (const problem of problems) {
    const key = JSON.stringify(problem.path);
    if (!byPath.has(key)) byPath.set(key, problem);
  }
  const lines = [...byPath.values()]
    .map((problem) => ({ ...problem, offset: problem.offset ?? document.offset(problem.path) }))
    .sort((left, right) => left.offset - right.offset)
    .slice(0, MOST)
    .map(({ path, text, offset }) => `\n  ${pathText(path)}: ${text} (line ${document.line(offset)})`);
  if (byPath.size > MOST) lines.push(`\n  and ${byPath.size - MOST} more`);
  return new CoordinatorError("config_invalid", `Cannot use ${printable(file)}:${lines.join("")}`, {
    hint: "Correct the file. `mcp-coordinator config schema` prints what may be in it.",
  });
}

/** A path as it is written in messages: `mcpServers.linear.args[0]`. */
export function pathText(path: Path): string {
  if (path.length === 0) return "the file";
  return path.map((segment, index) => segmentText(segment, index === 0)).join("");
}

function segmentText(segment: string | number, isFirst: boolean): string {
  if (typeof segment === "number") return `[${segment}]`;
  if (!/^[\w$-]{1,100}$/.test(segment)) return `[${quoted(segment)}]`;
  return isFirst ? segment : `.${segment}`;
}
