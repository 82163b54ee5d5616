// What policy and approvals are to withstand, row by row: `node scripts/policy-table.mjs [--row A1] [--write]` runs the tests of the rows and prints
// how each came out. --write puts the table into docs/security.md. dist/ must be built.
import { runSuite } from "./run-suite.mjs";

await runSuite("policy");
