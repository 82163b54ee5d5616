import type { RawEntry } from "./entry.ts";

const program = /(?:^|[/\\:=])mcp-coordinator(?:@[^/\\]*)?$/;
const folder = /^(?:[/\\.~]|[A-Za-z]:[/\\])/;
const executable = /(?:[/\\]\.?bin[/\\]mcp-coordinator|[/\\]mcp-coordinator[/\\]dist[/\\]cli\.js)$/;

/** Whether an entry would start this very coordinator, which would start itself again without end. */
export function startsOurselves(entry: RawEntry): boolean {
  const { command, args } = entry as { command?: unknown; args?: unknown };
  if (typeof command === "string" && /(?:^|[/\\])mcp-coordinator(?:\.(?:cmd|exe|ps1))?$/i.test(command)) return true;
  return Array.isArray(args) && args.some((arg) => typeof arg === "string" && namesOurselves(arg));
}

/** A folder that happens to be called mcp-coordinator, given to a file server, is not the program. */
function namesOurselves(arg: string): boolean {
  return executable.test(arg) || (program.test(arg) && !folder.test(arg));
}
