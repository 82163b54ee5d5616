import { createTwoFilesPatch } from "diff";
import { sortedJson } from "./sorted-json.ts";
import type { Tool } from "./tool.ts";

/** How one tool of a server changed. */
export interface ToolChange {
  readonly tool: string;
  readonly kind: "added" | "removed" | "changed";
  /** What of it changed. */
  readonly parts: readonly string[];
  /** Before and after, as a patch. */
  readonly diff: string;
}

const parts = {
  title: (tool: Tool) => tool.title,
  description: (tool: Tool) => tool.description,
  input: (tool: Tool) => tool.inputSchema,
  output: (tool: Tool) => tool.outputSchema,
  annotations: (tool: Tool) => tool.annotations,
};

const maxDiffLength = 8_000;
/** For the diffs of all tools together; what comes later has none. A server may change thousands of long definitions at once. */
const patienceMs = 200;

/** What a server's tools have become. The order of tools, and of the keys in what they say, means nothing. */
export function compareDefinitions(before: readonly Tool[], after: readonly Tool[]): ToolChange[] {
  const [old, now] = [before, after].map((tools) => new Map(tools.map((tool) => [tool.name, tool])));
  const deadline = performance.now() + patienceMs;
  const names = [...new Set([...before, ...after].map(({ name }) => name))];
  return names.flatMap((name) => changeOf(name, old?.get(name), now?.get(name), deadline) ?? []);
}

function changeOf(
  tool: string,
  before: Tool | undefined,
  after: Tool | undefined,
  deadline: number,
): ToolChange | undefined {
  const [old, now] = [before, after].map((one) => textsOf(one));
  const changed = Object.keys(parts).filter((part) => old?.get(part) !== now?.get(part));
  if (before && after && changed.length === 0) return undefined;
  const kind = !before ? "added" : !after ? "removed" : "changed";
  const [oldText = "", nowText = ""] = [old, now].map((texts) =>
    changed.map((part) => texts?.get(part) ?? "").join(""),
  );
  return { tool, kind, parts: kind === "changed" ? changed : [], diff: patchOf(oldText, nowText, deadline) };
}

function textsOf(tool: Tool | undefined): Map<string, string> {
  const texts = new Map<string, string>();
  if (!tool) return texts;
  for (const [part, read] of Object.entries(parts)) {
    const value = read(tool);
    if (value !== undefined) texts.set(part, `${part}: ${typeof value === "string" ? value : sortedJson(value, 2)}\n`);
  }
  return texts;
}

/** Only the lines that differ and those around them. */
function patchOf(before: string, after: string, deadline: number): string {
  const timeout = deadline - performance.now();
  const options = { context: 2, timeout };
  const patch = timeout > 0 && createTwoFilesPatch("before", "after", before, after, undefined, undefined, options);
  if (!patch) return "(too much changed at once for a diff)\n";
  const lines = patch.split("\n").slice(3).join("\n");
  return lines.length <= maxDiffLength ? lines : `${lines.slice(0, maxDiffLength)}\n… cut`;
}
