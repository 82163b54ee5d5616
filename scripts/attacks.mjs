// Attacks every engine and prints a table: `node scripts/attacks.mjs [--engine deno] [--row J001] [--part crowd] [--write] [--together]`.
// --engine gateway stands for the rows of the host, which are tests. --row takes the beginning of an id; such rows are attacked alone.
// --part takes one of alone (each attack by itself), crowd (eight at a time) and sessions (each twice in a session); all three without it.
// --write writes docs/attacks.md (with --row or --part, what was run of it); --together attacks all engines at the same time.
// dist/ must be built.
import { runSuite } from "./run-suite.mjs";

await runSuite("attacks");
