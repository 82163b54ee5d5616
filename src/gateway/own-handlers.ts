import type { Coordinator } from "../app/coordinator.ts";
import type { Handlers } from "./client-request.ts";
import { fixedPrompts, promptHandlers } from "./prompts.ts";
import { resourceHandlers } from "./resources.ts";
import { callableOperations } from "./tool-definitions.ts";
import { toolHandlers } from "./tools.ts";

/** What we answer ourselves, beside what exposed servers do. */
export interface OwnHandlers {
  readonly handlers: Handlers;
  readonly names: Readonly<Record<"tools" | "prompts", ReadonlySet<string>>>;
}

export const noOwnHandlers: OwnHandlers = { handlers: {}, names: { tools: new Set(), prompts: new Set() } };

export function createOwnHandlers(coordinator: Coordinator): OwnHandlers {
  const operations = callableOperations(coordinator);
  const prompts = fixedPrompts(coordinator);
  return {
    names: { tools: namesOf(operations), prompts: namesOf(prompts) },
    handlers: {
      ...toolHandlers(coordinator, operations),
      ...resourceHandlers(coordinator),
      ...promptHandlers(prompts),
    },
  };
}

function namesOf(known: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set(known.map(({ name }) => name));
}
