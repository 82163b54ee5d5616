// Every field of every operation with every hostile input, while somebody pings:
// `node scripts/pressure.mjs [--side client|guest|server] [--transport stdio|http] [--only TEXT] [--input TEXT]
// [--per-field N] [--seed N]`. --only takes a part of an operation's name and field, --input one of an input's name; --per-field tries that many inputs a field, chosen by the seed.
// dist/ must be built.
import { runSuite } from "./run-suite.mjs";

await runSuite("pressure");
