// What policy and approvals are to withstand, row by row: `node scripts/policy-table.mjs [--row A1] [--write]` runs the tests of the rows and prints
// how each came out. --row takes the beginning of an id. --write puts the table into docs/security.md; rows that were not run stay as they
// were. dist/ must be built.
import { runSuite } from "./run-suite.mjs";

await runSuite("policy");
