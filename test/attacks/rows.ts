import { asyncRows } from "./javascript-async.ts";
import { authorityRows } from "./javascript-authority.ts";
import { bridgeRows } from "./javascript-bridge.ts";
import { exhaustionRows } from "./javascript-exhaustion.ts";
import { realmRows } from "./javascript-realm.ts";
import { sourceRows } from "./javascript-source.ts";
import { pythonRows } from "./python-rows.ts";
import type { Row } from "./row.ts";

/** Every attack that is guest code. */
export const rows: readonly Row[] = [
  ...realmRows,
  ...asyncRows,
  ...bridgeRows,
  ...authorityRows,
  ...exhaustionRows,
  ...sourceRows,
  ...pythonRows,
];
