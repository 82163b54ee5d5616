import type { Library, Tool } from "../../catalog/tool.ts";
import type { CheckContext, Declared } from "../compiled.ts";
import { type Binding, bindingsOf, targetPartsOf } from "./bindings.ts";
import type { ImportedName } from "./import-statement.ts";
import { childrenOf, nodesAround, parsePython, type SyntaxNode, type SyntaxTree } from "./syntax-tree.ts";

/** The code under check, and what is around it. */
export interface GuestSource {
  readonly source: string;
  readonly tree: SyntaxTree;
  readonly bindings: ReadonlyMap<string, readonly Binding[]>;
  readonly libraries: readonly Library[];
  readonly context: CheckContext;
  /** What the module `coordinator` has. */
  readonly ownNames: readonly string[];
  /** What the code assigns to: the names of attributes, and the keys that are plain strings. */
  readonly assigned: AssignedMembers;
}

interface AssignedMembers {
  readonly attributes: ReadonlySet<string>;
  readonly keys: ReadonlySet<string>;
}

export function readGuest(code: Pick<GuestSource, "source" | "libraries" | "context" | "ownNames">): GuestSource {
  const { source } = code;
  const tree = parsePython(source);
  let assigned: AssignedMembers | undefined;
  return {
    ...code,
    tree,
    bindings: bindingsOf(source, tree),
    get assigned() {
      assigned ??= assignedMembers(source, tree);
      return assigned;
    },
  };
}

export function textOf({ source }: GuestSource, { from, to }: { readonly from: number; readonly to: number }): string {
  return source.slice(from, to);
}

/** The call that a finding is about: the one at exactly that place, else the innermost around it. */
export function callAt({ tree }: GuestSource, { from, to }: { from: number; to: number }): SyntaxNode | undefined {
  const calls = nodesAround(tree, from).filter(({ name }) => name === "CallExpression");
  return calls.find((call) => call.from === from && call.to === to) ?? calls[0];
}

/** A function that is ours to describe: a tool, or one of `mcp_tools`, `coordinator` or `skills` themselves. */
export interface OwnFunction {
  readonly path: string;
  readonly isAsync: boolean;
  readonly tool?: Tool | undefined;
}

export function ownFunction(guest: GuestSource, callee: SyntaxNode | null | undefined): OwnFunction | undefined {
  const path = callee ? originOf(guest, textOf(guest, callee)) : undefined;
  if (path === undefined || !/^(mcp_tools|coordinator|skills)\./.test(path)) return undefined;
  const [, module, identifier] = /^mcp_tools\.(?:aio\.)?(\w+)\.(\w+)$/.exec(path) ?? [];
  const library = guest.libraries.find((one) => one.module === module);
  const tool = library?.tools.find((one) => one.identifier === identifier);
  return { path, isAsync: /^(mcp_tools|coordinator)\.aio\./.test(path), tool };
}

/** Where a dotted name comes from: `s.find` is `mcp_tools.jira.find` after `from mcp_tools import jira as s`. */
export function originOf({ bindings, context }: GuestSource, dotted: string): string | undefined {
  const [root = "", ...rest] = dotted.split(".").map((part) => part.trim());
  const imports = (bindings.get(root) ?? []).flatMap(({ imported }) => (imported ? [imported] : []));
  const [own] = imports.filter(({ module }) => /^(mcp_tools|coordinator|skills)\b/.test(module));
  const imported = own ?? imports[0] ?? keptImport(context.kept?.find(({ name }) => name === root));
  return imported && [baseOf(imported), ...rest].join(".");
}

function keptImport(kept: Declared | undefined): ImportedName | undefined {
  if (!kept?.from) return undefined;
  const { specifier, member } = kept.from;
  return { module: specifier, member: member === "*" ? undefined : member, local: kept.name, from: 0 };
}

function baseOf({ module, member, local }: ImportedName): string {
  if (member !== undefined) return `${module}.${member}`;
  const [first = ""] = module.split(".");
  return first === local ? first : module;
}

/** Whether the code itself catches what goes wrong at a place: a handler, or a `suppress`, that matches. */
export function isCaught(guest: GuestSource, offset: number, exceptions: RegExp): boolean {
  return nodesAround(guest.tree, offset).some((node) => {
    const children = childrenOf(node);
    const body = children.find(({ name }) => name === "Body");
    if (!body || offset < body.from || offset >= body.to) return false;
    if (node.name === "WithStatement") {
      const header = guest.source.slice(node.from, body.from);
      return header.includes("suppress") && exceptions.test(header);
    }
    if (node.name !== "TryStatement") return false;
    return children.some(({ name }, at) => {
      const caught = children[at + 1];
      return name === "except" && caught && exceptions.test(caught.name === "Body" ? "bare" : textOf(guest, caught));
    });
  });
}

function assignedMembers(source: string, tree: SyntaxTree): AssignedMembers {
  const attributes = new Set<string>();
  const keys = new Set<string>();
  const take = (node: SyntaxNode, depth = 0): void => {
    if (node.name === "MemberExpression") {
      const [last, before] = childrenOf(node).reverse();
      if (last?.name === "PropertyName") attributes.add(source.slice(last.from, last.to));
      if (before?.name === "String")
        keys.add(source.slice(before.from, before.to).replace(/^\w*["']+|(?<!["'])["']+$/g, ""));
    } else if (depth < 20) for (const child of childrenOf(node)) take(child, depth + 1);
  };
  tree.iterate({
    enter: (reference) => {
      if (!/^(Assign|Update|For|With)Statement$/.test(reference.name)) return;
      const { name, node } = reference;
      for (const part of name === "UpdateStatement" ? [] : targetPartsOf(node)) take(part);
      // `self.x: int` assigns nothing, and tells of an attribute all the same.
      if (/^(Assign|Update)/.test(name) && node.firstChild) take(node.firstChild);
    },
  });
  for (const [, key = ""] of source.matchAll(/\.setdefault\(\s*["'](\w+)["']/g)) keys.add(key);
  for (const [, name = ""] of source.matchAll(/\bsetattr\([^,]{1,200},\s*["'](\w+)["']/g)) attributes.add(name);
  return { attributes, keys };
}
