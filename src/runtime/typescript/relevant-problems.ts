import { type CallExpression, type Expression, type ParseResult, Visitor } from "oxc-parser";
import type { Diagnostic } from "typescript/unstable/async";
import type { Library } from "../../catalog/tool.ts";
import { packageForModule } from "../../packages/install-name.ts";
import { nearest } from "../../system/nearest.ts";
import type { AbsentServers, Declared } from "../compiled.ts";
import { notInstalled } from "../modules/missing-packages.ts";
import { didYouMean, listed, type Problem } from "../problem.ts";
import { positionOf } from "../source.ts";
import { whySwitchedOff } from "../switched-off.ts";
import { parseScript } from "./syntax.ts";

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
  const { kept = [] } = context;
  let parsed: ParseResult | undefined;
  const syntax = (): ParseResult => {
    parsed ??= parseScript(source);
    return parsed;
  };
  const relevant = [
    ...syntactic.filter(({ code }) => code !== returnAtTopLevel),
    ...semantic.filter((diagnostic) => {
      if (alwaysWrong.has(diagnostic.code)) return true;
      if (missingMember.has(diagnostic.code)) return !mayHaveMember(source, diagnostic);
      return wrongArgument.has(diagnostic.code) && isInToolCall(syntax(), diagnostic.pos, kept);
    }),
  ];
  return relevant.map((diagnostic) => ({
    ...positionOf(source, diagnostic.pos),
    ...explain(diagnostic, source, context, syntax),
  }));
}

type Explained = Pick<Problem, "message" | "missing">;

/** What is around the code that was checked. */
export interface ProblemContext {
  readonly libraries: readonly Library[];
  readonly kept?: readonly Declared[] | undefined;
  /** Why configured servers are not among the libraries. */
  readonly absent?: AbsentServers | undefined;
  /** What can be imported beside libraries. */
  readonly names: readonly string[];
}

/** A guest's program is a function, so it may return. */
const returnAtTopLevel = 1108;

const cannotFindName = [2304, 2552, 2503, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 18004];
const cannotFindModule = [2307, 2792, 2882];
const noSuchExport = [2305, 2614, 2724, 1192, 2613];
const alwaysWrong = new Set([
  ...cannotFindName,
  ...cannotFindModule,
  ...noSuchExport,
  ...[2349, 2351, 2348], // not callable, not constructable
  ...[2588, 2540, 2632], // assignment to a constant or an import
  ...[2300, 2440, 2448, 2449, 2451], // declared twice, used before its declaration
  ...[2693, 2749], // a type used as a value
  ...[2488, 2504], // not iterable: often a forgotten await
  1308, // await outside an async function
]);
const missingMember = new Set([2339, 2551, 2550, 2576]);
const wrongArgument = new Set([2322, 2345, 2353, 2554, 2555, 2559, 2561, 2739, 2740, 2741, 2769, 2820, 2375, 2379]);

/** Whether the property may be there after all: the guest writes it itself, or only a part of a union lacks it. */
function mayHaveMember(source: string, { pos, end, messageChain, text }: Diagnostic): boolean {
  if (text.endsWith("on type '{}'.") || text.endsWith("on type 'never'.") || (messageChain?.length ?? 0) > 0)
    return true;
  const name = source.slice(pos, end).replace(/[^\w$]/g, "");
  return (
    name !== "" && new RegExp(`\\.${name.replaceAll("$", "\\$")}\\s*(\\?\\?|\\|\\||&&|[-+*/%])?=(?![=>])`).test(source)
  );
}

function explain(
  diagnostic: Diagnostic,
  source: string,
  context: ProblemContext,
  syntax: () => ParseResult,
): Explained {
  const { code, pos, end } = diagnostic;
  const text = [diagnostic.text, ...chained(diagnostic)].join(" ");
  const named = source.slice(pos, end).replace(/^["'`]|["'`]$/g, "");
  // Of Node's modules without their prefix the compiler speaks as of names.
  const isModule =
    cannotFindModule.includes(code) || (cannotFindName.includes(code) && /["'`]/.test(source[pos] ?? ""));
  if (isModule) return explainModule(named, context);
  if (noSuchExport.includes(code))
    return { message: explainExport(named, moduleAt(syntax(), pos), context.libraries) ?? text };
  const off = missingMember.has(code) && /import\("[^"]*coordinator"\)'/.test(text) ? whySwitchedOff(named) : undefined;
  if (off) return { message: off };
  if (cannotFindName.includes(code)) return { message: text.replace(/ Do you need to .*$/s, "") };
  const forgottenAwait = diagnostic.relatedInformation?.find(({ code }) => code === 2773 || code === 2570);
  return { message: forgottenAwait ? `${text} ${forgottenAwait.text}` : text };
}

/** The module of the import statement at a place. */
function moduleAt({ module }: ParseResult, offset: number): string | undefined {
  return module.staticImports.find(({ start, end }) => start <= offset && offset < end)?.moduleRequest.value;
}

function explainExport(name: string, specifier: string | undefined, libraries: readonly Library[]): string | undefined {
  if (specifier === "coordinator") return whySwitchedOff(name);
  const library = libraries.find(({ module }) => specifier === `mcp_tools/${module}`);
  if (!library) return undefined;
  const names = library.tools.map(({ identifier }) => identifier);
  return `"${specifier}" has no tool "${name}".${didYouMean(name, names, ` It has: ${listed(names)}.`)}`;
}

function chained({ messageChain = [] }: Diagnostic): string[] {
  return messageChain.flatMap((next) => [next.text, ...chained(next)]);
}

function explainModule(specifier: string, { libraries, names, absent }: ProblemContext): Explained {
  const why = absent?.get(specifier.replace(/^mcp_tools\//, ""));
  if (why !== undefined && specifier.startsWith("mcp_tools/")) return { message: why };
  const modules = ["mcp_tools", "coordinator", ...libraries.map(({ module }) => `mcp_tools/${module}`), ...names];
  const missing = `Cannot find module "${specifier}".`;
  const { install, instead } = packageForModule("typescript", specifier, modules);
  const close = instead ?? (install === undefined ? nearest(specifier, modules) : undefined);
  if (close) return { message: `${missing} Did you mean "${close}"?` };
  if (specifier.startsWith("mcp_tools/"))
    return { message: `${missing} No configured server has that name; search_tools lists them.` };
  if (install === undefined || isOurs(specifier))
    return {
      message: `${missing} Guests import mcp_tools, mcp_tools/<server>, coordinator, node: modules and packages.`,
    };
  return { message: notInstalled(specifier, install), missing: { module: specifier, install } };
}

/** Whether the innermost call around a place is one of a function that was imported from a library. */
function isInToolCall({ program, module }: ParseResult, offset: number, kept: readonly Declared[]): boolean {
  const fromLibrary = new Set([
    ...kept.flatMap(({ name, from }) => (from && isOurs(from.specifier) ? [name] : [])),
    ...module.staticImports
      .filter(({ moduleRequest }) => isOurs(moduleRequest.value))
      .flatMap(({ entries }) => entries.map(({ localName }) => localName.value)),
  ]);
  const around: CallExpression[] = [];
  new Visitor({
    CallExpression: (node) => {
      if (node.start <= offset && offset < node.end) around.push(node);
    },
  }).visit(program);
  const innermost = around.at(-1);
  return innermost !== undefined && fromLibrary.has(rootName(innermost.callee));
}

function isOurs(specifier: string): boolean {
  return /^(mcp_tools|coordinator|skills)(\/|$)/.test(specifier);
}

function rootName(callee: Expression): string {
  if (callee.type === "Identifier") return callee.name;
  return callee.type === "MemberExpression" ? rootName(callee.object) : "";
}
