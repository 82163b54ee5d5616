// Makes dist/guest/deno.js, what runs inside a Deno sandbox: a module of one string that holds the code. Deno reads modules with
// a parser of its own before V8 does, at every start, since a sandbox keeps nothing. A string it passes over, in 3 ms less.
import { writeFileSync } from "node:fs";

/** Writes the bundled code of the guest. */
export function writeDenoGuest(code, file) {
  if (/^(import|export)\b|\bimport\.meta\b/m.test(code)) throw new Error("The guest's code is not one piece");
  // As in a module: strict, and it may await. The name is for stack traces.
  const whole = `(async () => {\n"use strict";\n${code}\n})()\n//# sourceURL=file:///guest.js`;
  writeFileSync(file, `await globalThis.eval(${JSON.stringify(whole)});\n`);
}
