const kinds = ["tools", "prompts", "resources"] as const;

/** The notifications that a list has changed, and what each is called on a stream of 2026-07-28. */
export const listChanges: ReadonlyMap<string, `${(typeof kinds)[number]}_list_changed`> = new Map(
  kinds.map((kind) => [`notifications/${kind}/list_changed`, `${kind}_list_changed`]),
);
