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
  if (glob.includes("?")) return (text) => matchesGlob(text, glob);
  const [start = "", ...rest] = glob.split("*");
  const end = rest.pop();
  if (end === undefined) return (text) => text === glob;
  const least = glob.length - rest.length - 1;
  // What lies between stars is looked for from the left: where it is found first leaves most room for what follows.
  return (text) => {
    if (text.length < least || !text.startsWith(start) || !text.endsWith(end)) return false;
    let at = start.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= text.length - end.length;
  };
}
