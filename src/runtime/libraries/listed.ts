import type { Skipped } from "../../catalog/read-tools.ts";
import type { Library, Tool } from "../../catalog/tool.ts";

/** A library and its tools by their exact names. */
export interface Listed {
  readonly library: Library;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly skipped: readonly Skipped[];
}
