#!/usr/bin/env node
import { runCommandLine } from "./line/command-line.ts";
import { endProcess } from "./terminal/end-process.ts";

endProcess(await runCommandLine(process.argv.slice(2)));
