import type { Library, Tool } from "../../catalog/tool.ts";
import type { Services } from "../services.ts";
import type { Found } from "./rank-together.ts";
import type { FoundTool } from "./show-tools.ts";

/** What was found, each tool with the type that its results were observed to have. */
export async function withObserved<Kind extends Found | FoundTool>(
  { observations }: Pick<Services, "observations">,
  found: readonly Kind[],
): Promise<Kind[]> {
  const known = new Map<Library, Map<string, Tool>>();
  for (const library of new Set(found.flatMap((one) => ("library" in one ? [one.library] : [])))) {
    const { tools } = await observations.shown(library);
    known.set(library, new Map(tools.map((tool) => [tool.name, tool])));
  }
  return found.map((one) => {
    if (!("tool" in one)) return one;
    return { ...one, tool: known.get(one.library)?.get(one.tool.name) ?? one.tool };
  });
}
