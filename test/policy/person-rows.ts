import type { TestsRow } from "./row.ts";

export const personRows: readonly TestsRow[] = [];
