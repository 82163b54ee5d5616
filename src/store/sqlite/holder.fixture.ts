import { writeSync } from "node:fs";
import { openStore } from "./store.ts";

/** A coordinator in the middle of a call, as a process of its own: `node holder.mjs <home>`. Goes on until it is killed. */
const { journal } = openStore(process.argv[2] ?? "");
await journal.startRun({ id: "held", language: "typescript", engine: "deno", code: "" });
journal.intend({ run: "held", server: "one", tool: "act", args: "{}", argsHash: "0".repeat(64) });
writeSync(1, "ready\n");
setInterval(() => {}, 1000);
