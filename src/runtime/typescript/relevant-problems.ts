import type { Diagnostic } from "typescript/unstable/async";
import type { Problem } from "../checks/problem.ts";
import { positionOf } from "../source.ts";
import {
  alwaysWrong,
  cannotFindModule,
  cannotFindName,
  missingMember,
  readOnlyProperty,
  wrongArgument,
} from "./diagnostic-codes.ts";
import { chained, explain, type ProblemContext, type ReadCode } from "./explain-problem.ts";
import { mayHaveMember, type Precautions, precautionsIn } from "./harmless.ts";
import { importedCalls } from "./imported-calls.ts";
import { ownCalls } from "./own-calls.ts";
import { parseScript } from "./syntax.ts";

/** More are not looked at: one line can have thousands. */
const mostHeard = 500;

/**
 * Of all that the compiler says, what would go wrong at run time. A guest is a script, not a code base:
 * a possible null, an implicit any or a loose number is not an obstacle.
 */
export function relevantProblems(
  source: string,
  syntactic: readonly Diagnostic[],
  semantic: readonly Diagnostic[],
  context: ProblemContext,
): Problem[] {
  const broken = syntactic.filter(({ code }) => code !== returnAtTopLevel);
  const heard = semantic.filter(({ code }) => [alwaysWrong, missingMember, wrongArgument].some((set) => set.has(code)));
  if (broken.length + heard.length === 0) return [];
  const parsed = parseScript(source);
  const calls = importedCalls(parsed, context.kept ?? [], context.libraries);
  const precautions = precautionsIn(source, parsed);
  const { staticImports } = parsed.module;
  const code: ReadCode = {
    source,
    calls,
    own: ownCalls(parsed, context.kept),
    program: parsed.program,
    specifierAt: (offset) =>
      staticImports.find(({ start, end }) => start <= offset && offset < end)?.moduleRequest.value,
  };
  const relevant = heard.slice(0, mostHeard).filter((diagnostic) => {
    if (alwaysWrong.has(diagnostic.code)) return !isHarmless(source, diagnostic, precautions);
    if (missingMember.has(diagnostic.code)) return !mayHaveMember(source, diagnostic);
    return calls.at(diagnostic.pos) !== undefined;
  });
  return [...broken.slice(0, mostHeard), ...relevant].map((diagnostic) => ({
    ...positionOf(source, diagnostic.pos),
    ...explain(diagnostic, code, context),
  }));
}

/** A guest's program is a function, so it may return. */
const returnAtTopLevel = 1108;

/** What the compiler is right about, and what goes well all the same. */
function isHarmless(source: string, diagnostic: Diagnostic, precautions: Precautions): boolean {
  const { code, pos, end } = diagnostic;
  if (cannotFindName.has(code) && precautions.isProvidedFor(source.slice(pos, end))) return true;
  if (cannotFindModule.has(code) && precautions.isCaughtImport(pos)) return true;
  // What is only written to elsewhere, the compiler takes to be never there.
  if ([diagnostic.text, ...chained(diagnostic)].some((text) => text.includes("'never'"))) return true;
  // Nothing keeps a property that the code itself declares to be read-only.
  if (code === readOnlyProperty && /\b(readonly|as const|Readonly\w*|enum)\b/.test(source)) return true;
  return precautions.isErased(pos);
}
