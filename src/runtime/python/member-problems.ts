import { nearest } from "../../system/nearest.ts";
import { didYouMean } from "../checks/problem.ts";
import { forgottenAwait } from "./call-problems.ts";
import { type GuestSource, isCaught, originOf, textOf } from "./guest-source.ts";
import { explainNoMember } from "./import-problems.ts";
import { keysOf } from "./library-types.ts";
import { headOf, isUnion, partsOf, widened } from "./printed-type.ts";
import type { PyrightFinding } from "./pyright-finding.ts";
import { hasSubmodule } from "./standard-library.ts";
import { childrenOf, nodesAround, type SyntaxNode } from "./syntax-tree.ts";

/** What a finding accuses of lacking something: its type decides, and of a union one part may still have it. */
export interface Accusation {
  readonly finding: PyrightFinding;
  readonly accused: { readonly from: number; readonly to: number };
  explain(type: string): string | undefined;
}

/** Types that are what they are: no subclass with more in it is likely to stand behind the name. */
const plainTypes = new Set([
  ...["str", "LiteralString", "int", "float", "bool", "complex", "bytes", "Literal", "CoroutineType", "Generator"],
  ...["list", "dict", "tuple", "set", "frozenset", "range", "map", "filter", "zip", "enumerate", "reversed"],
  ...["dict_keys", "dict_values", "dict_items", "defaultdict", "Counter", "OrderedDict", "deque", "ToolError"],
  ...["datetime", "date", "time", "timedelta", "Path", "Decimal", "Fraction", "Match", "Pattern"],
]);

/** Methods of dictionaries that a TypedDict hides, though its values have them. */
const dictionaryMethods = new Set(["clear", "pop", "popitem", "setdefault", "update", "copy", "fromkeys", "get"]);

/** Something that a module lacks, known without looking further. */
export function explainModuleMember(guest: GuestSource, finding: PyrightFinding): string | undefined {
  const [, name = "", printed = ""] = /^"(.*)" is not a known attribute of module "(.*)"/.exec(finding.message) ?? [];
  const base = nodesAround(guest.tree, finding.from).find((node) => node.name === "MemberExpression")?.firstChild;
  // pyright may print a relative name.
  const module = printed.startsWith(".") && base ? (originOf(guest, textOf(guest, base)) ?? printed) : printed;
  if (name === "" || isPrepared(guest, finding.from, name) || hasSubmodule(module, name)) return undefined;
  if (/^mcp_tools(\.aio)?$/.test(module)) {
    const modules = guest.libraries.map((library) => library.module);
    if (modules.includes(name)) return undefined;
    return `"${module}" has no server "${name}".${didYouMean(name, modules)}`;
  }
  return explainNoMember(guest, module, name);
}

/** A way in which something lacks what is asked of it. */
interface Lack {
  /** What pyright says of it, and under which rules; any where absent. */
  readonly message: RegExp;
  readonly rules?: readonly string[];
  /** What is accused; undefined when the code is prepared for it. */
  accused(guest: GuestSource, finding: PyrightFinding): SyntaxNode | undefined;
  explain(type: string, guest: GuestSource, finding: PyrightFinding, accused: SyntaxNode): string | undefined;
}

const lacks: readonly Lack[] = [
  {
    // `value.name`
    message: /^Cannot access attribute ".+?" for class /,
    rules: ["reportAttributeAccessIssue"],
    accused(guest, { from, message }) {
      const member = nodesAround(guest.tree, from).find((node) => node.name === "MemberExpression");
      return isPrepared(guest, from, quoted(message)) ? undefined : (member?.firstChild ?? undefined);
    },
    explain: explainNoAttribute,
  },
  {
    // `value["key"]`
    message: /^Could not access[\s\S]* is not a defined key in /,
    accused(guest, finding) {
      const { key } = missingKey(finding.message);
      const isFilled = guest.assigned.keys.has(key) || /\.update\(|\|=/.test(guest.source);
      const isReady = isFilled || isCaught(guest, finding.from, /\b(KeyError|LookupError)\b/);
      return isReady ? undefined : indexedAt(guest, finding);
    },
    explain(type, guest, { message }) {
      const { key, owner } = missingKey(message);
      const keys = keysOf(guest, owner);
      if (isUnion(type) || !keys) return undefined;
      return `"${owner}" has no key "${key}".${didYouMean(key, keys, ` It has: ${keys.join(", ")}.`)}`;
    },
  },
  {
    // `value[index]` where the value has no items, or none of that kind
    message: /^("__getitem__" method not defined|No overloads for "__getitem__")/,
    rules: ["reportIndexIssue", "reportCallIssue"],
    accused: indexedAt,
    explain(type, guest, _finding, { parent }) {
      if (isUnion(type)) return undefined;
      if (type.startsWith("CoroutineType[")) return forgottenAwait("A coroutine has no items.");
      if (isNumber(type)) return `"${widened(type)}" has no items.`;
      const [index] = parent ? childrenOf(parent).slice(2) : [];
      if (!/^(list|tuple)\[/.test(type) || index?.name !== "String") return undefined;
      return `"${type}" has no key ${textOf(guest, index)}: index it by number.`;
    },
  },
  {
    // `for x in value`, or another use that takes one item after the other
    message: /^".*" is not iterable/,
    accused: (guest, { from, to }) =>
      nodesAround(guest.tree, from).find((node) => node.from === from && node.to === to),
    explain(type) {
      if (type.startsWith("CoroutineType[")) return forgottenAwait("A coroutine cannot be iterated.");
      return isNumber(type) ? `"${widened(type)}" cannot be iterated.` : undefined;
    },
  },
];

export function accusationOf(guest: GuestSource, finding: PyrightFinding): Accusation | undefined {
  const { rule = "" } = finding;
  const lack = lacks.find(({ message, rules = [rule] }) => rules.includes(rule) && message.test(finding.message));
  const accused = lack?.accused(guest, finding);
  if (!accused || isUnsteady(guest, accused)) return undefined;
  return { finding, accused, explain: (type) => lack?.explain(type, guest, finding, accused) };
}

function explainNoAttribute(
  type: string,
  guest: GuestSource,
  { message }: PyrightFinding,
  accused: SyntaxNode,
): string | undefined {
  if (isUnion(type)) return undefined;
  const name = quoted(message);
  const head = headOf(type).replace(/^Self@|\*$/g, "");
  const own = head === "type" ? headOf(partsOf(type)[0] ?? "") : head;
  const origin = originOf(guest, textOf(guest, accused));
  const isGroup = origin === `coordinator.${own}` || origin === `coordinator.aio.${own}`;
  if (head === "type" && isGroup) return `"${origin}" has no "${name}".`;
  if (own === "CoroutineType") return forgottenAwait(`A coroutine has no "${name}".`);
  const keys = keysOf(guest, own);
  if (keys) {
    if (dictionaryMethods.has(name)) return undefined;
    const close = nearest(name, keys);
    return `"${own}" is a dictionary: it has no attribute "${name}".${close ? ` Did you mean ["${close}"]?` : ""}`;
  }
  if (!plainTypes.has(own) && !isKnownToLack(guest, own, name)) return undefined;
  return `"${widened(type).replace(/^Self@|\*$/g, "")}" has no attribute "${name}".`;
}

/** The first name that a message quotes. */
function quoted(message: string): string {
  return /"(.*?)"/.exec(message)?.[1] ?? "";
}

function isNumber(type: string): boolean {
  return /^(int|float|bool|Literal\[-?\d+\])$/.test(type);
}

/** `… "key" is not a defined key in "Owner"`, on the last line of a message. */
function missingKey(message: string): { key: string; owner: string } {
  const line = message.slice(message.lastIndexOf("\n") + 1);
  const divider = '" is not a defined key in "';
  const [start, end] = [line.indexOf('"') + 1, line.lastIndexOf(divider)];
  return { key: line.slice(start, Math.max(start, end)), owner: line.slice(end + divider.length, -1) };
}

/** What stands before the brackets of the item that a finding is about. */
function indexedAt(guest: GuestSource, { from, to }: PyrightFinding): SyntaxNode | undefined {
  const members = nodesAround(guest.tree, from).filter(
    (node) => node.name === "MemberExpression" && node.from === from && childrenOf(node)[1]?.name === "[",
  );
  // Some findings cover the whole, some only what stands before the brackets.
  const member = members.find((node) => node.to === to) ?? members.find((node) => node.firstChild?.to === to);
  return member?.firstChild ?? undefined;
}

/** Whether the code sees to it: it assigns the attribute, asks for it first, or catches its absence. */
function isPrepared(guest: GuestSource, offset: number, name: string): boolean {
  const { source } = guest;
  return (
    guest.assigned.attributes.has(name) ||
    new RegExp(`\\b(hasattr|getattr|setattr|delattr)\\([^)]{0,200}["']${name}["']`).test(source) ||
    isCaught(guest, offset, /\bAttributeError\b/)
  );
}

/** Whether the value may be another one than pyright thinks: changed from elsewhere, or guessed from a default. */
function isUnsteady(guest: GuestSource, accused: SyntaxNode): boolean {
  const text = textOf(guest, accused);
  const [root = ""] = /^[\p{L}\p{N}_]+/u.exec(text) ?? [];
  const bindings = guest.bindings.get(root) ?? [];
  if (bindings.some(({ node, isGuessed }) => node.name === "ScopeStatement" || isGuessed)) return true;
  if (accused.name !== "MemberExpression") return false;
  const { attributes, keys } = guest.assigned;
  const [last, before] = childrenOf(accused).reverse();
  if (last?.name === "PropertyName") return attributes.has(textOf(guest, last)) && originOf(guest, text) === undefined;
  return before?.name !== "String" ? before?.name === "VariableName" : keys.has(textOf(guest, before).slice(1, -1));
}

/** Whether a class of the guest's own surely has no such attribute. */
function isKnownToLack(guest: GuestSource, name: string, attribute: string): boolean {
  const bindings = guest.bindings.get(name) ?? [];
  const [only] = bindings;
  if (bindings.length !== 1 || only?.node.name !== "ClassDefinition" || isMentioned(guest, attribute)) return false;
  // Stubs of a class above it leave out what is private.
  return !(attribute.startsWith("_") && only.node.getChild("ArgList"));
}

/** Whether the name occurs in another role than that of an attribute that is read, or attributes are made by hand. */
function isMentioned({ source }: GuestSource, name: string): boolean {
  return new RegExp(`\\b${name}\\b(?<!\\.\\s*${name})|\\bsetattr\\(|__dict__|\\bvars\\(|__getattr`).test(source);
}
