import type { Params } from "./raw-server.ts";

/** A notification of a server that is not about one call. */
export interface Notice {
  readonly method: string;
  readonly params?: Params | undefined;
}

const kinds = ["tools", "prompts", "resources"] as const;

/** Those that say that a list has changed, and what each is called on a stream of 2026-07-28. */
export const listChanges = new Map(
  kinds.map((kind) => [`notifications/${kind}/list_changed`, `${kind}_list_changed` as const] as const),
) as ReadonlyMap<string, `${(typeof kinds)[number]}_list_changed`>;
