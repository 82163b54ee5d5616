import { type ASTNode, Environment } from "@marcbachmann/cel-js";

/** What a condition is about. */
export interface ConditionContext {
  readonly args: unknown;
  readonly server: string;
  readonly tool: string;
  readonly kind: string;
  readonly via: string;
  readonly annotations: Readonly<Record<string, boolean>>;
}

/** Throws where what it names is absent, or of another type than it expects. */
export type Condition = (context: ConditionContext) => boolean;

const environment = new Environment({ limits: { maxAstNodes: 500, maxDepth: 50, maxCallArguments: 8 } })
  .registerVariable("args", "dyn")
  .registerVariable("server", "string")
  .registerVariable("tool", "string")
  .registerVariable("kind", "string")
  .registerVariable("via", "string")
  .registerVariable("annotations", "map<string, bool>");

/** A condition in CEL; or what is wrong with it, in words that follow its text. */
export function compileCondition(text: string): Condition | { readonly problem: string } {
  try {
    const program = environment.parse(text);
    const problem = slowPart(program.ast) ?? mistypedPart(program.check());
    if (problem !== undefined) return { problem };
    return (context) => {
      const answer: unknown = program(context);
      if (typeof answer !== "boolean") throw new TypeError("It is neither true nor false.");
      return answer;
    };
  } catch (thrown) {
    return { problem: `is not CEL: ${firstLine(thrown)}` };
  }
}

function mistypedPart({ valid, type, error }: ReturnType<Environment["check"]>): string | undefined {
  if (!valid) return `is not right: ${firstLine(error)}`;
  return type === "bool" || type === "dyn" ? undefined : `gives ${type}, and not true or false`;
}

/** Go over a list, with a name for each element. */
const walks: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "map", "filter"]);
/** Look for one text in another. */
const lookups: ReadonlySet<string> = new Set(["contains", "indexOf", "lastIndexOf", "split"]);

/** What takes longer than in proportion to the arguments, which a guest makes as long as it likes. */
function slowPart(root: ASTNode): string | undefined {
  const open: { readonly node: unknown; readonly walk?: string | undefined }[] = [{ node: root }];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const { node, walk } = one;
    if (Array.isArray(node)) for (const part of node) open.push({ node: part, walk });
    if (!isNode(node)) continue;
    if (node.op === "id" && node.args === "args" && walk !== undefined)
      return `uses args inside ${walk}(): only its elements can be used there`;
    if (node.op !== "rcall") {
      open.push({ node: node.args, walk });
      continue;
    }
    const [called, receiver, given] = node.args;
    if (called === "matches") return "uses matches(), which can take for ever: use globs, startsWith or contains";
    if (walks.has(called) && walk !== undefined) return `uses ${called}() inside ${walk}()`;
    if (lookups.has(called) && given[0]?.op !== "value") return `looks by ${called}() for what is not written out`;
    open.push({ node: receiver, walk }, { node: given, walk: walks.has(called) ? called : walk });
  }
  return undefined;
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === "object" && value !== null && "op" in value && "args" in value;
}

function firstLine(thrown: unknown): string {
  const [line = ""] = (thrown instanceof Error ? thrown.message : String(thrown)).split("\n");
  return line;
}
