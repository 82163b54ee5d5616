import { isBuiltin } from "node:module";
import type { Diagnostic } from "typescript/unstable/async";
import type { Library, Tool } from "../../catalog/tool.ts";
import { callableOf } from "../../codegen/callable.ts";
import { packageForModule } from "../../packages/install-name.ts";
import { nearest } from "../../system/nearest.ts";
import { didYouMean, listed, type Problem } from "../checks/problem.ts";
import type { AbsentServers, Declared } from "../compiled.ts";
import { notInstalled } from "../modules/missing-packages.ts";
import type { UsageOf } from "../own-module.ts";
import { whySwitchedOff } from "../switched-off.ts";
import { cannotFindModule, cannotFindName, missingMember, noSuchExport, wrongArgument } from "./diagnostic-codes.ts";
import { type ImportedCalls, isOurs } from "./imported-calls.ts";
import { namesDefined } from "./names-defined.ts";
import type { OwnCalls } from "./own-calls.ts";
import type { ParsedProgram } from "./syntax.ts";

/** What is around the code that was checked. */
export interface ProblemContext {
  readonly libraries: readonly Library[];
  readonly kept?: readonly Declared[] | undefined;
  /** Why configured servers are not among the libraries. */
  readonly absent?: AbsentServers | undefined;
  /** What can be imported beside libraries. */
  readonly names: readonly string[];
  /** What the module `coordinator` exports. */
  readonly ownNames: readonly string[];
  /** How functions of our own module are called. */
  readonly usageOf?: UsageOf | undefined;
}

/** The code, read. */
export interface ReadCode {
  readonly source: string;
  readonly program: ParsedProgram;
  readonly calls: ImportedCalls;
  readonly own: OwnCalls;
  specifierAt(offset: number): string | undefined;
}

type Explained = Pick<Problem, "message" | "missing" | "meant" | "about" | "unknownName">;

/** What the compiler says, as the author of a guest reads it: what is wrong, and what to write. */
export function explain(diagnostic: Diagnostic, code: ReadCode, context: ProblemContext): Explained {
  const { pos, end } = diagnostic;
  const { source } = code;
  const text = [diagnostic.text, ...chained(diagnostic)].join(" ");
  const named = source.slice(pos, end).replace(/^["'`]|["'`]$/g, "");
  // Of Node's modules without their prefix the compiler speaks as of names.
  const isName = cannotFindName.has(diagnostic.code);
  if (cannotFindModule.has(diagnostic.code) || (isName && /["'`]/.test(source[pos] ?? "")))
    return explainModule(named, context);
  if (noSuchExport.has(diagnostic.code)) return explainExport(named, code.specifierAt(pos), context.libraries, text);
  if (isName) return explainName(named, diagnostic, code, context);
  if (missingMember.has(diagnostic.code)) return explainMember(named, diagnostic, code, context);
  if (!wrongArgument.has(diagnostic.code)) return { message: text };
  const own = code.own.functionAt(pos);
  const usage = own === undefined ? undefined : context.usageOf?.(own);
  // Of several ways to call it, what is wrong with each would be a page.
  if (usage !== undefined)
    return { message: `${diagnostic.code === noWayFits ? "No way to call it takes these arguments." : text} ${usage}` };
  const { library, tool } = code.calls.at(pos) ?? {};
  if (!library || !tool) return { message: text };
  return { message: `${text} It takes: ${takenBy(tool)}`, about: [{ server: library.server, tool: tool.name }] };
}

const noWayFits = 2769;

export function chained({ messageChain = [] }: Diagnostic): string[] {
  return messageChain.flatMap((next) => [next.text, ...chained(next)]);
}

const longestSignature = 300;

/** A tool's name with its parameters, and the types that they name. */
function takenBy(tool: Tool): string {
  const { parameters, aliases } = callableOf(tool, new Set([tool.identifier]));
  const types = [...aliases].filter(([name]) => new RegExp(`\\b${name}\\b`).test(parameters));
  const text = [`${tool.identifier}(${parameters})`, ...types.map(([name, type]) => `type ${name} = ${type}`)].join(
    "; ",
  );
  return text.length > longestSignature ? `${text.slice(0, longestSignature)} …` : text;
}

function explainExport(
  name: string,
  specifier: string | undefined,
  libraries: readonly Library[],
  otherwise: string,
): Explained {
  const off = specifier === "coordinator" ? whySwitchedOff(name) : undefined;
  if (off) return { message: off };
  const library = libraries.find(({ module }) => specifier === `mcp_tools/${module}`);
  if (!library) return { message: otherwise };
  const names = library.tools.map(({ identifier }) => identifier);
  const message = `"${specifier}" has no tool "${name}".${didYouMean(name, names, ` It has: ${listed(names)}.`)}`;
  return { message, about: [{ server: library.server }] };
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
  if (install === undefined || isOurs(specifier)) {
    const rest = "Guests import mcp_tools, mcp_tools/<server>, coordinator, node: modules and packages.";
    return { message: `${missing} ${rest}` };
  }
  return { message: notInstalled(specifier, install), missing: { module: specifier, install } };
}

/** A name that nothing defines: what brings it, or what it was meant to be. */
function explainName(
  name: string,
  { text, end }: Diagnostic,
  { source, program }: ReadCode,
  { libraries, kept = [], ownNames }: ProblemContext,
): Explained {
  const missing = text.replace(/ Do you need to .*$/s, "");
  const told = (next: string) => ({ message: `${missing} ${next}` });
  const library = libraries.find(({ module }) => module === name);
  if (library) return told(`Is 'import * as ${name} from "mcp_tools/${name}"' missing?`);
  if (ownNames.includes(name)) return told(`Is 'import { ${name} } from "coordinator"' missing?`);
  if (name === "require") return told(`Write 'import … from "…"' instead.`);
  if (isBuiltin(name)) return told(`Is 'import ${name} from "node:${name}"' missing?`);
  if (/^\s*=(?![=>])/.test(source.slice(end, end + 100))) return told(`Declare it: let ${name} = …`);
  if (missing.includes("Did you mean")) return { message: missing };
  const known = [...namesDefined(program), ...kept.map((one) => one.name)];
  return { message: `${missing}${didYouMean(name, new Set(known))}`, unknownName: name };
}

const longestType = 120;

/** A property that a value of a known type lacks. */
function explainMember(
  name: string,
  { text, pos, relatedInformation }: Diagnostic,
  { calls, own }: ReadCode,
  { libraries }: ProblemContext,
): Explained {
  const off = /import\("[^"]*coordinator"\)'/.test(text) ? whySwitchedOff(name) : undefined;
  if (off) return { message: off };
  // Our own types are pages long, and say less than a name.
  const group = own.groupAt(pos);
  if (group !== undefined)
    return { message: text.replace(/^((?:(?! on type ').)*) on type '.*'(?=\.)/s, `"${group}" of coordinator: $1`) };
  const [, module] = /on type 'typeof import\("\/guest\/(mcp_tools\/[^"]+)"\)'/.exec(text) ?? [];
  if (module !== undefined) return explainExport(name, module, libraries, text);
  const about = calls.tools;
  const forgottenAwait = relatedInformation?.find(({ code }) => code === 2773 || code === 2570);
  const [, type = ""] = /^Property '.*?' does not exist on type '(.*)'\.(?: Did you mean .*)?$/s.exec(text) ?? [];
  if (forgottenAwait) {
    const message = type.length > longestType ? `Property '${name}' does not exist on a Promise.` : text;
    return { message: `${message} ${forgottenAwait.text}`, about };
  }
  const keys = keysIn(type);
  if (keys === undefined || text.includes("Did you mean")) return { message: text, about };
  const is =
    type.length > longestType
      ? `Property '${name}' does not exist; there are: ${listed(keys, 20)}${/\.\.\. \d+ more/.test(type) ? " and others" : ""}.`
      : text;
  return { message: `${is}${didYouMean(name, keys)}`, about };
}

/** The properties of an object type as it is printed, of a long one some; undefined for another type. */
function keysIn(type: string): string[] | undefined {
  if (!type.startsWith("{ ") || !type.endsWith(" }")) return undefined;
  const keys: string[] = [];
  let depth = 0;
  for (const [token, key] of type.matchAll(
    /"(?:[^"\\]|\\.){0,100}"|[{}()[\]<>]|(?<=[{;] )(?:readonly )?([\w$]+)(?=\??[:(])/g,
  )) {
    if (/^[{([<]/.test(token)) depth++;
    else if (/^[})\]>]/.test(token)) depth--;
    else if (key !== undefined && depth === 1) keys.push(key);
  }
  return keys;
}
