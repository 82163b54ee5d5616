import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFileSync } from "../../system/replace-file.ts";

/** The memory of the compiler; a type can be made to need any amount. Its garbage collector works harder from two thirds on. */
export const compilerMb = 768;

/**
 * A program in the folder that starts the compiler with a limit of memory and without our environment. The compiler's API
 * would pass on all of it, secrets included, to a process that reads what guests write.
 */
export function bareCompiler(compiler: string, folder: string): string {
  if (process.platform === "win32") return compiler;
  const file = join(folder, "compiler.sh");
  const quoted = `'${compiler.replaceAll("'", "'\\''")}'`;
  const variables = `GOMEMLIMIT=${Math.round((compilerMb * 2) / 3)}MiB`;
  const script = `#!/bin/sh\nulimit -d ${compilerMb * 1024} 2>/dev/null\nexec /usr/bin/env -i ${variables} ${quoted} "$@" 2>/dev/null\n`;
  if (read(file) === script) return file;
  // Moved into place whole: a shell may be reading the one that is there.
  replaceFileSync(file, script, { mode: 0o700 });
  return file;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // not there yet
  }
}
