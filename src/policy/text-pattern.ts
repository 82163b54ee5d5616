import { matchesGlob } from "../catalog/glob.ts";
import type { Globs } from "./rule.ts";

export type TextTest = (text: string) => boolean;

/** Whether one of the globs fits the whole text; case counts. */
export function textTest(globs: Globs): TextTest {
  const tests = (typeof globs === "string" ? [globs] : globs).map(globTest);
  const [only] = tests;
  return only !== undefined && tests.length === 1 ? only : (text) => tests.some((test) => test(text));
}

function globTest(glob: string): TextTest {
  if (glob === "*") return () => true;
  if (!/[*?]/.test(glob)) return (text) => text === glob;
  return (text) => matchesGlob(text, glob);
}
