import type { Library } from "../../catalog/tool.ts";
import { didYouMean, type Problem } from "../checks/problem.ts";
import type { CheckContext } from "../compiled.ts";
import { positionOf } from "../source.ts";
import { aboutProblem } from "./about-problem.ts";
import { explainArgument, explainCall, forgottenAwait, withoutAftermath } from "./call-problems.ts";
import { callAt, type GuestSource, isCaught, ownFunction, readGuest, textOf } from "./guest-source.ts";
import { explainMissingMember, moduleProblems, serverProblems } from "./import-problems.ts";
import type { Diagnostic } from "./language-server.ts";
import { accusationOf, explainModuleMember } from "./member-problems.ts";
import { findingsIn, type PyrightFinding } from "./pyright-finding.ts";
import { keyOf, revealTypes } from "./reveal-types.ts";
import { namesIn, standardModules } from "./standard-library.ts";
import { nodesAround, type SyntaxNode } from "./syntax-tree.ts";
import { toolProblems } from "./tool-problems.ts";

export interface CheckedSource {
  readonly source: string;
  readonly libraries: readonly Library[];
  readonly context: CheckContext;
  /** What stands before the guest's own text, on a line of its own. */
  readonly firstLine: string;
  /** What the module `coordinator` has. */
  readonly ownNames: readonly string[];
}

/**
 * Of all that pyright says, what would go wrong at run time. A guest is a script, not a code base: a possible None, a name
 * that may be unbound or a loose type is not an obstacle.
 */
export async function relevantProblems(
  { source, libraries, context, firstLine, ownNames }: CheckedSource,
  diagnose: (text: string) => Promise<readonly Diagnostic[]>,
): Promise<Problem[]> {
  const look = async (guestText: string): Promise<PyrightFinding[]> => {
    const text = `${firstLine}\n${guestText}`;
    return findingsIn(text, await diagnose(text), 1);
  };
  const guest = readGuest({ source, libraries, context, ownNames });
  const findings = await look(source);
  const syntax = findings.filter((finding) => finding.rule === undefined && !isAllowed(guest, finding));
  // One slip makes pyright stumble again further on: the first place counts, as with Python itself.
  if (syntax.length > 0) return toProblems(source, syntax).slice(0, 1);

  const ignored = ignoredLines(source);
  const heard = findings.filter(({ rule }) => rule !== undefined && heardRules.has(rule)).slice(0, mostFindings);
  const shown = heard.filter(({ from }) => !ignored.has(positionOf(source, from).line));
  const meant = withoutAftermath(guest, shown);
  const isLoose = findings.some((finding) => contradictsItself(guest, finding));
  const accusations = isLoose ? [] : meant.flatMap((finding) => accusationOf(guest, finding) ?? []);
  const accused = accusations.map((accusation) => accusation.accused);
  const types = accused.length > 0 ? await revealTypes(source, accused, look) : new Map();
  const proven = accusations.flatMap((accusation) => {
    const type = types.get(keyOf(accusation.accused));
    const message = type === undefined ? undefined : accusation.explain(type);
    return message === undefined ? [] : [{ ...accusation.finding, message }];
  });
  const plain = meant.flatMap((finding) => {
    const message = explainers[finding.rule ?? ""]?.(guest, finding);
    return message === undefined ? [] : [{ ...finding, message }];
  });
  const ours = [...serverProblems(guest), ...moduleProblems(guest, meant), ...toolProblems(guest)];
  const found = [...ours, ...plain, ...proven].map((finding) => {
    const unknownName = finding.rule === "reportUndefinedVariable" ? textOf(guest, finding) : undefined;
    return { ...finding, about: aboutProblem(guest, finding), unknownName };
  });
  return toProblems(source, found);
}

const longestMessage = 600;
const mostFindings = 200;

/** What each rule of pyright's is taken to mean, of those that types need not prove. */
const explainers: Readonly<Record<string, (guest: GuestSource, finding: PyrightFinding) => string | undefined>> = {
  reportUndefinedVariable: explainName,
  reportUnboundVariable: explainName,
  reportAttributeAccessIssue: (guest, finding) =>
    explainMissingMember(guest, finding) ?? explainModuleMember(guest, finding),
  reportCallIssue: explainCall,
  reportArgumentType: explainArgument,
  reportUnusedCoroutine: explainUnused,
};

const heardRules = new Set([
  ...Object.keys(explainers),
  ...["reportMissingImports", "reportMissingModuleSource", "reportIndexIssue", "reportGeneralTypeIssues"],
]);

function toProblems(source: string, findings: readonly PyrightFinding[]): Problem[] {
  const problems = new Map<string, Problem>();
  for (const finding of [...findings].sort((left, right) => left.from - right.from)) {
    const { from, message, missing, meant, about = [], unknownName } = finding;
    const problem = {
      ...positionOf(source, from),
      message: printable(message).slice(0, longestMessage),
      ...(missing && { missing }),
      ...(meant && { meant }),
      ...(about.length > 0 && { about }),
      ...(unknownName !== undefined && { unknownName }),
    };
    problems.set(`${problem.line} ${problem.message}`, problem);
  }
  return [...problems.values()];
}

/** Texts of the guest are quoted in messages, and messages are shown on terminals. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ");
}

const scopes = /^(FunctionDefinition|LambdaExpression|ClassDefinition)$/;

/** What is an error to pyright and none in a guest: awaiting at the top level; and a first line before a __future__ import. */
function isAllowed(guest: GuestSource, { from, message }: PyrightFinding): boolean {
  if (/^Imports from __future__ must/.test(message)) return true;
  if (/^Type of ".*" is /.test(message)) return true;
  if (guest.context.isModule) return false;
  if (!/^"await" allowed only|^Use of "async" not allowed/.test(message)) return false;
  return !nodesAround(guest.tree, from).some(({ name }) => scopes.test(name));
}

const looksAway = /#\s*(?:type|pyright):\s*ignore/;

/** Lines whose author has told checkers to look away. */
function ignoredLines(source: string): ReadonlySet<number> {
  const lines = source.split("\n");
  return new Set(lines.flatMap((line, index) => (looksAway.test(line.trimStart().slice(1)) ? [index + 1] : [])));
}

/** Where the guest's own type annotations are not true, types prove nothing. */
function contradictsItself(guest: GuestSource, { rule, message }: PyrightFinding): boolean {
  if (rule === "reportReturnType" || rule === "reportAssignmentType") return true;
  if (rule !== "reportArgumentType") return false;
  const [, name = ""] = /in function "(\w+)"$/m.exec(message) ?? [];
  return new RegExp(`\\bdef\\s+${name}\\b`).test(guest.source);
}

function explainName(guest: GuestSource, finding: PyrightFinding): string | undefined {
  const { source, bindings, context } = guest;
  const name = textOf(guest, finding);
  if (/\b(exec|globals|locals|vars)\s*\(/.test(source) || bringsUnknownNames(guest)) return undefined;
  if (isCaught(guest, finding.from, /\b(NameError|UnboundLocalError)\b/)) return undefined;
  if (isNeverEvaluated(guest, finding.from)) return undefined;
  if (finding.rule === "reportUnboundVariable") return `"${name}" has no value here.`;
  if (bindings.get(name)?.some(({ node }) => isForElsewhere(guest, node))) return undefined;
  const missing = `"${name}" is not defined.`;
  if (standardModules().has(name)) return `${missing} Is "import ${name}" missing?`;
  const server = guest.libraries.find(({ module }) => module === name);
  if (server) return `${missing} Is "from mcp_tools import ${name}" missing?`;
  if (guest.ownNames.includes(name)) return `${missing} Is "from coordinator import ${name}" missing?`;
  if (/^(null|undefined)$/.test(name)) return `${missing} Did you mean "None"?`;
  const known = [...bindings.keys(), ...(context.kept ?? []).map((kept) => kept.name), ...namesIn("builtins")];
  return `${missing}${didYouMean(
    name,
    known.filter((candidate) => candidate !== name),
  )}`;
}

/** Whether pyright may take a binding for one that is never reached: for another system or version. */
function isForElsewhere(guest: GuestSource, binding: SyntaxNode): boolean {
  for (let node = binding.parent; node; node = node.parent) {
    if (node.name === "IfStatement" && /\b(sys|os|platform)\.|TYPE_CHECKING/.test(textOf(guest, node))) return true;
  }
  return false;
}

/** Whether the place is in an annotation that Python does not look at: quoted, put off, or of a local variable. */
function isNeverEvaluated({ source, tree }: GuestSource, offset: number): boolean {
  const around = nodesAround(tree, offset).map(({ name }) => name);
  const annotation = around.indexOf("TypeDef");
  if (around[0] === "String" || around[0] === "Comment") return true;
  if (annotation === -1) return false;
  if (/^[ \t\f]*from __future__ import .*\bannotations\b/m.test(source)) return true;
  return around[annotation + 1] === "AssignStatement" && around.includes("FunctionDefinition");
}

/** A star import of a module that pyright cannot read may bring any name. */
function bringsUnknownNames(guest: GuestSource): boolean {
  const stars = [...guest.source.matchAll(/^[ \t\f]*from[ \t]+(\w+)(?:\.[\w.]*)?[ \t]+import[ \t]+\*/gm)].map(
    ([, module = ""]) => module,
  );
  const kept = (guest.context.kept ?? [])
    .filter(({ name }) => name.endsWith(".*"))
    .map(({ name }) => name.split(".")[0] ?? "");
  return [...stars, ...kept].some((module) => !standardModules().has(module));
}

function explainUnused(guest: GuestSource, finding: PyrightFinding): string | undefined {
  const own = ownFunction(guest, callAt(guest, finding)?.firstChild);
  if (!own?.isAsync) return undefined;
  return forgottenAwait(`"${own.path}" is asynchronous: it does nothing until it is awaited.`);
}
