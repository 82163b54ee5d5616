import type { Tool } from "../../catalog/tool.ts";
import { pythonSignature } from "../../codegen/python/signature.ts";
import { signature } from "../../codegen/signature.ts";
import { sketchTools } from "../../codegen/sketch.ts";
import type { Language } from "../../sandbox/engine.ts";
import type { Problem } from "../checks/problem.ts";
import type { Libraries } from "../libraries/libraries.ts";
import type { RunError } from "../results/run-result.ts";

const mostTold = 3;
const mostSketched = 20;
const longestHint = 4000;

/** All that is known of what an error is about: whole signatures, with the types of results; all tools of a server. */
export function fullerHint(
  { problems = [], server, tool }: RunError,
  language: Language,
  libraries: Pick<Libraries, "peek">,
): string | undefined {
  const about: NonNullable<Problem["about"]> = [
    ...problems.flatMap((problem) => problem.about ?? []),
    ...(server === undefined ? [] : [{ server, tool }]),
  ];
  const told = about.flatMap((one) => {
    const library = libraries.peek(one.server);
    if (!library) return [];
    const named = one.tool === undefined ? undefined : library.tools.get(one.tool);
    if (named) return [whole(named, language)];
    const all = library.library.tools;
    const { calls, types } = sketchTools(all.slice(0, mostSketched), language);
    const names = all.slice(mostSketched).map(({ identifier }) => identifier);
    return [[`The tools of ${one.server}:`, ...calls, ...types, names.join(", ")].filter(Boolean).join("\n")];
  });
  const texts = [...new Set(told)].slice(0, mostTold);
  if (texts.length === 0) return undefined;
  const text = `The same as in an earlier run. All that is known:\n${texts.join("\n")}`;
  return text.length > longestHint ? `${text.slice(0, longestHint)} …` : text;
}

function whole(tool: Tool, language: Language): string {
  return language === "python" ? pythonSignature(tool, { docs: true }) : signature(tool, { docs: true });
}
