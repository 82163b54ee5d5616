import { didYouMean, listed } from "../checks/problem.ts";
import { type GuestSource, originOf, ownFunction, textOf } from "./guest-source.ts";
import type { PyrightFinding } from "./pyright-finding.ts";
import { argumentsOf, nodesOf, plainString, type SyntaxNode } from "./syntax-tree.ts";

/** What only we know of our functions: which of them are asynchronous, and the exact names that `call` takes. */
export function toolProblems(guest: GuestSource): PyrightFinding[] {
  return nodesOf(guest.tree, "CallExpression").flatMap((call) => {
    const message = explainAwaited(guest, call) ?? explainUnknownName(guest, call);
    return message === undefined ? [] : [{ from: call.from, to: call.to, rule: "tool", message }];
  });
}

/** A plain call that is awaited: it has its result already, and that cannot be awaited. */
function explainAwaited(guest: GuestSource, call: SyntaxNode): string | undefined {
  const callee = call.firstChild;
  const own = ownFunction(guest, callee);
  if (!own || own.isAsync || !own.path.startsWith("mcp_tools.") || !callee) return undefined;
  const [root = ""] = textOf(guest, callee).split(".");
  if ((guest.bindings.get(root) ?? []).length !== 1 || !isAwaited(guest, call)) return undefined;
  const twin = own.path.replace(/^mcp_tools\./, "mcp_tools.aio.").replace(/\.\w+$/, "");
  return `"${own.path}" is not asynchronous: call it without "await" and asyncio, or import it from ${twin}.`;
}

const awaiting = /^asyncio\.(gather|create_task|ensure_future|wait_for|shield|run)$/;
const holders = /^(\w*ComprehensionExpression|ArrayExpression|ParenthesizedExpression)$/;

/** Whether the value goes to `await`, or to a function of asyncio that awaits it, alone or as one of a list. */
function isAwaited(guest: GuestSource, call: SyntaxNode): boolean {
  let node = call;
  while (node.parent && holders.test(node.parent.name) && isElement(node)) node = node.parent;
  const { parent } = node;
  if (parent?.name === "AwaitExpression") return node === call;
  const callee = parent?.name === "ArgList" ? parent.parent?.firstChild : undefined;
  return callee !== undefined && callee !== null && awaiting.test(originOf(guest, textOf(guest, callee)) ?? "");
}

/** Not what a comprehension goes through, or asks. */
function isElement({ prevSibling }: SyntaxNode): boolean {
  return prevSibling === null || /^[[({,]$/.test(prevSibling.name);
}

/** `call("name", …)` with a name that the server does not have. */
function explainUnknownName(guest: GuestSource, call: SyntaxNode): string | undefined {
  const [, , module] = /^mcp_tools\.(aio\.)?(\w+)\.call$/.exec(ownFunction(guest, call.firstChild)?.path ?? "") ?? [];
  const library = guest.libraries.find((one) => one.module === module);
  const [first] = argumentsOf(guest.source, call);
  const name = first && (first.name ?? "tool") === "tool" ? plainString(guest.source, first.value) : undefined;
  if (!library || library.tools.length === 0 || name === undefined) return undefined;
  const names = library.tools.map((tool) => tool.name);
  if (names.includes(name)) return undefined;
  return `"${library.server}" has no tool "${name}".${didYouMean(name, names, ` It has: ${listed(names)}.`)}`;
}
