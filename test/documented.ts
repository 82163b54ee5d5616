import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Language } from "../src/sandbox/engine.ts";

/** The programs in a document of docs/, for a test that runs them. */
export function documented(document: string): [language: Language, code: string][] {
  const text = readFileSync(fileURLToPath(new URL(`../docs/${document}`, import.meta.url)), "utf8");
  return [...text.matchAll(/^```(ts|python)\n(.*?)^```$/gms)].map(([, kind, code = ""]) => {
    return [kind === "ts" ? "typescript" : "python", code];
  });
}
