import { type Actor, isSameTool } from "../actor.ts";
import { allowed } from "../catalog/glob.ts";
import { CoordinatorError } from "../errors.ts";
import type { Act } from "./act.ts";
import type { Gate, Verdict } from "./gate.ts";

/** The servers and tools that the configuration opens, and those that the actor may use. */
export function createListsGate(
  /** Throws when there is no such server. */
  toolLists: (server: string) => Parameters<typeof allowed>[1],
): Gate {
  return {
    name: "lists",
    judge(act, actor) {
      if (act.kind === "own") return undefined;
      const lists = toolLists(act.server);
      const refused = actor.may && beyondReach(act, actor);
      if (refused) return refused;
      if (act.kind !== "tool" || allowed(act.name, lists)) return undefined;
      const hint = "Use another tool: only the user can change that, by the server's tools in the configuration.";
      return deny(`The configuration does not allow "${act.name}" of "${act.server}"`, hint);
    },
  };
}

function beyondReach({ kind, server, name }: Act, { may = {} }: Actor): Verdict {
  const { servers, tools, limitedBy } = may;
  const hint = limitedBy && limitHint(limitedBy);
  if (servers && !servers.has(server)) return deny(`This run may not use the server "${server}"`, hint);
  if (!tools) return undefined;
  if (kind !== "tool") {
    return deny(`A skill may call the tools that it declares, and read nothing else of "${server}"`, hint);
  }
  if (tools.some((known) => isSameTool(known, { server, tool: name }))) return undefined;
  if (limitedBy) return deny(`This run may not use "${name}" of "${server}"`, hint);
  return deny(
    `The skill does not declare "${name}" of "${server}" among the tools that it uses`,
    "Declare it in the skill's tools and save the skill again, if it should use that tool.",
  );
}

function deny(message: string, hint?: string): Verdict {
  return { deny: new CoordinatorError("tool_denied", message, { hint }) };
}

/** Why a run with such skills may not do more, and how that changes. */
export function limitHint(limitedBy: readonly string[]): string {
  const names = limitedBy.map((id) => `"${id}"`).join(", ");
  return `It has ${names} in it, saved by a run that may not use everything, and keeps to that run's limits. Leave it out, or save it again without limits.`;
}
