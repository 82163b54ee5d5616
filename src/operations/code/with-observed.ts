import type { Library, Tool } from "../../catalog/tool.ts";
import type { Services } from "../services.ts";
import type { Found } from "./rank-together.ts";
import type { FoundTool } from "./show-tools.ts";

/** What was found, each tool with the type that its results were observed to have. */
export function withObserved<Kind extends Found | FoundTool>(
  { observations }: Pick<Services, "observations">,
  found: readonly Kind[],
): Kind[] {
  const known = new Map<Library, Map<string, Tool>>();
  return found.map((one) => {
    if (!("tool" in one)) return one;
    const { library, tool } = one;
    const tools = known.get(library) ?? new Map(observations.shown(library).tools.map((shown) => [shown.name, shown]));
    known.set(library, tools);
    return { ...one, tool: tools.get(tool.name) ?? tool };
  });
}
