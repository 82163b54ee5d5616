import { argumentRows } from "./argument-rows.ts";
import { laterRows, listedCalls, listedTests } from "./listed-rows.ts";
import { personRows } from "./person-rows.ts";
import type { CallsRow, Row } from "./row.ts";
import { ruleRows } from "./rule-rows.ts";

export const callsRows: readonly CallsRow[] = [...listedCalls, ...argumentRows, ...ruleRows];

export const rows: readonly Row[] = [...callsRows, ...listedTests, ...personRows, ...laterRows];
