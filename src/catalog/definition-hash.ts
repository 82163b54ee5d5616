import { createHash } from "node:crypto";
import { sortedJson } from "./sorted-json.ts";
import type { Tool } from "./tool.ts";

const hashes = new WeakMap<Tool, string>();

/** A hash of all that a tool says of itself: the order of keys means nothing, and neither does the name that guests have for it. */
export function definitionHash(tool: Tool): string {
  const known = hashes.get(tool);
  if (known !== undefined) return known;
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const text = sortedJson([name, title, description, inputSchema, outputSchema, annotations]);
  const hash = createHash("sha256").update(text).digest("hex");
  hashes.set(tool, hash);
  return hash;
}
