import { parameterNames } from "../../codegen/python/parameter-names.ts";
import { pythonSignature } from "../../codegen/python/signature.ts";
import { didYouMean } from "../checks/problem.ts";
import { callAt, type GuestSource, type OwnFunction, originOf, ownFunction, textOf } from "./guest-source.ts";
import { keysOf } from "./library-types.ts";
import { isCertainlyWrong, literalTexts } from "./printed-type.ts";
import type { PyrightFinding } from "./pyright-finding.ts";
import { namesIn, standardModules } from "./standard-library.ts";
import { argumentsOf, childrenOf, nodesOf, type SyntaxNode } from "./syntax-tree.ts";

const wrongArguments =
  /^(Expected \d+ (more )?positional argument|Arguments? missing for parameter|No parameter named)/;
/** Of a function whose declaration is ours, whatever is wrong with the call. */
const wrongCall = new RegExp(`${wrongArguments.source}|^Multiple parameters`);
const longestSignature = 300;

/** A call that cannot work: arguments that are missing, too many, unknown, or not for that function; no function at all. */
export function explainCall(guest: GuestSource, finding: PyrightFinding): string | undefined {
  const call = callAt(guest, finding);
  const callee = call?.firstChild;
  if (!call || !callee) return undefined;
  const [first = ""] = finding.message.split("\n");
  if (/is not callable$/.test(first)) return explainNotCallable(guest, first, callee);
  const own = ownFunction(guest, callee);
  if (own?.path.startsWith("skills.")) return wrongArguments.test(first) ? `${first}.` : undefined;
  if (own) return explainOwnCall(guest, call, first);
  return wrongArguments.test(first) && isCertain(guest, call, callee) ? `${first}.` : undefined;
}

function explainNotCallable(guest: GuestSource, message: string, callee: SyntaxNode): string | undefined {
  const name = textOf(guest, callee);
  if (message.startsWith("Module")) {
    return namesIn(name).includes(name)
      ? `"${name}" is a module. Did you mean "${name}.${name}"?`
      : `"${name}" is a module and cannot be called.`;
  }
  const [, type = ""] = /^Object of type "(.*)" is not callable$/.exec(message) ?? [];
  const isPlain = /^(str|int|float|bool|list|dict|tuple|set|Literal)\b/.test(type) && !type.includes(" | ");
  const isSteady = callee.name !== "VariableName" || guest.bindings.get(name)?.length === 1;
  return isPlain && isSteady && callee.name !== "MemberExpression" ? `${message}.` : undefined;
}

function explainOwnCall(guest: GuestSource, call: SyntaxNode, message: string): string | undefined {
  const own = ownFunction(guest, call.firstChild);
  const name = own?.path.split(".").at(-1) ?? "";
  const usage = own && usageOf(guest, own);
  if (usage !== undefined) return wrongCall.test(message) ? `${namedIn(message, name)} ${usage}` : undefined;
  const takes = own?.tool ? ` It takes: ${signatureOf(own.tool)}` : "";
  if (/^Expected \d+ (more )?positional/.test(message)) {
    return `"${name}" takes its arguments by name.${takes}`;
  }
  const [, unknown] = /^No parameter named "(.*)"/.exec(message) ?? [];
  if (unknown !== undefined) {
    const known = own?.tool ? parameterNames(own.tool).keys() : [];
    return `"${name}" has no parameter "${unknown}".${didYouMean(unknown, known, takes)}`;
  }
  if (/^Arguments? missing/.test(message)) {
    return `${message} of "${name}".${takes}`;
  }
  return message.startsWith("Multiple parameters") ? `${message}.` : undefined;
}

/** How a function of the module `coordinator` is called. */
function usageOf({ context }: GuestSource, { path, isAsync }: OwnFunction): string | undefined {
  const [, name] = /^coordinator\.(?:aio\.)?(.+)$/.exec(path) ?? [];
  const usage = name === undefined ? undefined : context.usageOf?.(name);
  return isAsync ? usage?.replace(/ {3}e\.g\. /, "$&await ") : usage;
}

/** What is wrong with a call, with the name of the function where the message has none. */
function namedIn(message: string, name: string): string {
  const [, unknown] = /^No parameter named "(.*)"/.exec(message) ?? [];
  if (unknown !== undefined) return `"${name}" has no parameter "${unknown}".`;
  return /^Arguments? missing/.test(message) ? `${message} of "${name}".` : `${message}.`;
}

/** Without what is said only because another argument of the same call is misspelled, or has no name. */
export function withoutAftermath(guest: GuestSource, findings: readonly PyrightFinding[]): PyrightFinding[] {
  const isCall = ({ rule }: PyrightFinding) => rule === "reportCallIssue";
  const faulty = new Set(
    findings
      .filter((finding) => isCall(finding) && /^(No parameter named|Expected \d+ positional)/.test(finding.message))
      .map((finding) => callAt(guest, finding)?.from),
  );
  return findings.filter(
    (finding) =>
      !(isCall(finding) && /^Arguments? missing/.test(finding.message) && faulty.has(callAt(guest, finding)?.from)),
  );
}

/** A tool's name with its parameters, and the dictionaries that they name. */
function signatureOf(tool: Parameters<typeof pythonSignature>[0]): string {
  const lines = pythonSignature(tool)
    .replace(/(?<!\s)\s*\n\s+/g, " ")
    .split("\n");
  const [header = ""] = (lines[0] ?? "").split(" -> ");
  const classes = lines.slice(1).filter((line) => header.includes(/^class (\w+)/.exec(line)?.[1] ?? "\n"));
  const text = [header, ...classes].join("; ");
  return text.length > longestSignature ? `${text.slice(0, longestSignature)} …` : text;
}

/** Whether pyright surely sees the function that will be called: nothing wraps it, replaces it or overrides it. */
function isCertain(guest: GuestSource, call: SyntaxNode, callee: SyntaxNode): boolean {
  if (argumentsOf(guest.source, call).some(({ stars }) => stars !== "")) return false;
  const name = textOf(guest, callee);
  if (callee.name === "VariableName") {
    const bindings = guest.bindings.get(name) ?? [];
    const [only] = bindings;
    if (!only) return !guest.context.kept?.some((kept) => kept.name === name) && namesIn("builtins").includes(name);
    if (bindings.length > 1) return false;
    if (only.imported) return isStandard(guest, name);
    return isPlainDefinition(guest, only.node);
  }
  if (callee.name !== "MemberExpression") return false;
  const method = name.slice(name.lastIndexOf(".") + 1);
  if (guest.assigned.attributes.has(method)) return false;
  const [root = ""] = name.split(".");
  if (isStandard(guest, name)) return guest.bindings.get(root)?.length === 1;
  const definitions = nodesOf(guest.tree, "FunctionDefinition").filter((node) => nameOf(guest, node) === method);
  const isOnly = definitions.length === 1 && guest.bindings.get(method)?.length === 1;
  return isOnly && definitions.every((node) => isPlainDefinition(guest, node));
}

function isStandard(guest: GuestSource, dotted: string): boolean {
  const [first = "", second] = originOf(guest, dotted)?.split(".") ?? [];
  return second !== undefined && standardModules().has(first);
}

function isPlainDefinition(guest: GuestSource, node: SyntaxNode): boolean {
  const decorators = node.parent?.name === "DecoratedStatement" ? node.parent.getChildren("Decorator") : [];
  const isDataclass = decorators.every((decorator) => /^@(dataclasses\.)?dataclass\b/.test(textOf(guest, decorator)));
  if (node.name === "FunctionDefinition") return decorators.length === 0;
  return node.name === "ClassDefinition" && isDataclass && !node.getChild("ArgList");
}

function nameOf(guest: GuestSource, definition: SyntaxNode): string {
  const name = childrenOf(definition).find((child) => child.name === "VariableName");
  return name ? textOf(guest, name) : "";
}

/** An argument of one of our functions that is of the wrong type, or a coroutine where its value was meant. */
export function explainArgument(guest: GuestSource, finding: PyrightFinding): string | undefined {
  const [first = "", second = ""] = finding.message.split("\n").map((line) => line.trim());
  const wrong = wrongArgument(first);
  if (!wrong) return undefined;
  const { found, parameter, expected, takenBy } = wrong;
  if (found.startsWith("CoroutineType[")) return forgottenAwait(`Parameter "${parameter}" gets a coroutine.`);
  const call = callAround(guest, finding);
  const own = ownFunction(guest, call?.firstChild);
  const name = own?.path.split(".").at(-1);
  // What is computed in an argument has functions of its own, such as the one behind brackets.
  if (!call || !own || takenBy !== name) return undefined;
  const argument = argumentsOf(guest.source, call).find(
    ({ from, value }) => from <= finding.from && finding.from < value.to,
  );
  if (argument?.stars !== "") return undefined;
  // Of a list that is written out, the finding is about one element.
  const isInside = finding.from > argument.value.from;
  const [one, other] = (isInside && unlikeTypes(second)) || [found, expected];
  if (!isCertainlyWrong(keysOf(guest, one) ? "dict[str, Any]" : one, other)) return undefined;
  const meant = didYouMean(literalTexts(one)[0] ?? "", literalTexts(other));
  const wrongType = `${isInside ? "In " : ""}"${parameter}" of "${name}": ${readable(one)} is not ${readable(other)}.`;
  const usage = usageOf(guest, own);
  if (usage !== undefined) return `${wrongType}${meant} ${usage}`;
  return wrongType + (meant || (own.tool ? ` It takes: ${signatureOf(own.tool)}` : ""));
}

/** `Argument of type "…" cannot be assigned to parameter "…" of type "…" in function "…"`, where types may hold quotes. */
function wrongArgument(line: string) {
  const takenBy = / in function "([^"]*)"$/.exec(line);
  const [start, divider, ofType] = ['Argument of type "', '" cannot be assigned to parameter "', '" of type "'];
  const at = line.lastIndexOf(divider);
  const typeAt = line.indexOf(ofType, at + divider.length);
  if (!takenBy || !line.startsWith(start) || at <= start.length || typeAt < 0) return undefined;
  return {
    found: line.slice(start.length, at),
    parameter: line.slice(at + divider.length, typeAt),
    expected: line.slice(typeAt + ofType.length, takenBy.index - 1),
    takenBy: takenBy[1],
  };
}

/** `Type "…" is not assignable to type "…"`: both types. */
function unlikeTypes(line: string): [string, string] | undefined {
  const dividers = line.matchAll(/" is (?:not assignable to|incompatible with protocol)(?: type)? "/g);
  const last = [...dividers].at(-1);
  const [start] = /^(?:Type )?"/.exec(line) ?? [];
  if (!last || start === undefined || last.index < start.length || !line.endsWith('"')) return undefined;
  return [line.slice(start.length, last.index), line.slice(last.index + last[0].length, -1)];
}

/** The call whose argument the place is in: a list or a dictionary may stand between, another call may not. */
function callAround(guest: GuestSource, { from }: PyrightFinding): SyntaxNode | undefined {
  let node: SyntaxNode | null = guest.tree.resolveInner(from, 1);
  for (; node; node = node.parent) {
    if (node.name === "ArgList" && node.from < from) return node.parent ?? undefined;
  }
  return undefined;
}

export function forgottenAwait(text: string): string {
  return `${text} Is an "await" missing?`;
}

/** Our protocol for arrays is a list to those who read; what else a dictionary may be made of, they need not know; and a literal is itself. */
function readable(type: string): string {
  return type
    .replaceAll("_List[", "list[")
    .replaceAll(" | Mapping[str, Any]", "")
    .replace(/\bLiteral\[([^[\]]{0,300})\]/g, (_whole, values: string) => values.replaceAll(", ", " or "));
}
