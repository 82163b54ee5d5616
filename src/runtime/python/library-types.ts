import { pythonStubs } from "../../codegen/python/stubs.ts";
import type { GuestSource } from "./guest-source.ts";

/** The keys of a dictionary type in the stubs of the libraries. */
export function keysOf(guest: GuestSource, name: string): string[] | undefined {
  if (!/^\w+$/.test(name)) return undefined;
  for (const library of guest.libraries) {
    if (library.tools.length === 0) continue;
    const stub = pythonStubs(library);
    const [, body] =
      new RegExp(`^class ${name}\\([^)]*TypedDict[^)]*\\):\\n((?:[ \\t]+.*\\n|\\n)+)`, "m").exec(stub) ?? [];
    if (body !== undefined) return [...body.matchAll(/^ {4}(\w+):/gm)].map(([, key = ""]) => key);
    const [, fields] =
      new RegExp(`^${name} = \\w*TypedDict\\("${name}", \\{([\\s\\S]*?)\\}(?:, \\w+=.*)?\\)$`, "m").exec(stub) ?? [];
    if (fields !== undefined) return [...fields.matchAll(/"((?:[^"\\]|\\.)*)": /g)].map(([, key = ""]) => key);
  }
  return undefined;
}
