import type { Action } from "./rule.ts";

/** Of several answers the one with the highest counts. */
export const strictness: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 };
