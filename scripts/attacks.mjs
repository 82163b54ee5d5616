// Attacks every engine and prints a table: `node scripts/attacks.mjs [--engine deno] [--row J001] [--write] [--together]`.
// --row takes the beginning of an id; --write writes docs/attacks.md (with --row, those cells of it); --together attacks all engines at the same time.
// dist/ must be built.
import { runSuite } from "./run-suite.mjs";

await runSuite("attacks");
