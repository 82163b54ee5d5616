import { realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { RawEntry } from "./entry.ts";
import { ownProgram } from "./own-program.ts";

const program = /(?:^|[/\\:=])mcp-coordinator(?:@[^/\\]{0,100})?$/;
const folder = /^(?:[/\\.~]|[A-Za-z]:[/\\])/;
const executable = /(?:[/\\]\.?bin[/\\]mcp-coordinator|[/\\]mcp-coordinator[/\\]dist[/\\]cli\.js)$/;

/** Whether an entry would start this very coordinator, which would start itself again without end. */
export function startsOurselves({ command, args }: RawEntry): boolean {
  if (typeof command === "string" && /(?:^|[/\\])mcp-coordinator(?:\.(?:cmd|exe|ps1))?$/i.test(command)) return true;
  return Array.isArray(args) && args.some((arg) => typeof arg === "string" && namesOurselves(arg));
}

/** Our own file, wherever it is. */
function isThisProgram(arg: string): boolean {
  if (arg === ownProgram) return true;
  if (!isAbsolute(arg) || !/\.[cm]?js$/.test(arg)) return false;
  try {
    return realpathSync(arg) === ownProgram;
  } catch {
    return false; // it is not there
  }
}

/** A folder that happens to be called mcp-coordinator, given to a file server, is not the program. */
function namesOurselves(arg: string): boolean {
  return executable.test(arg) || isThisProgram(arg) || (program.test(arg) && !folder.test(arg));
}
