import type { Link } from "../../sandbox/engine.ts";
import { applyEdits, type Edit } from "../edits.ts";
import { parseScript, passedOn } from "./syntax.ts";

/** A text for the compiler, in which imports of modules name their files. */
export interface LinkedSource {
  readonly text: string;
  /** The place in the author's own text. */
  offsetOf(offset: number): number;
}

/** Puts the file's path in the place of every specifier that a link gives a meaning. Lines stay the same. */
export function linkSource(source: string, links: readonly Link[], pathOf: (id: string) => string): LinkedSource {
  if (links.length === 0) return { text: source, offsetOf: (offset) => offset };
  const meaning = new Map(links);
  const edits = specifiersIn(source).flatMap(({ start, end }): Edit[] => {
    const id = meaning.get(source.slice(start + 1, end - 1));
    return id === undefined ? [] : [{ start, end, text: JSON.stringify(pathOf(id)) }];
  });
  return {
    text: applyEdits(source, edits),
    offsetOf(offset) {
      let shift = 0;
      for (const { start, end, text } of edits) {
        if (start + shift >= offset) break;
        // Inside of what was replaced, its beginning is meant.
        if (offset < start + shift + text.length) return start;
        shift += text.length - (end - start);
      }
      return offset - shift;
    },
  };
}

/** Where specifiers stand, with their quotes, in the order of the text. */
function specifiersIn(source: string): { readonly start: number; readonly end: number }[] {
  const { module, program } = parseScript(source);
  return [
    ...[...module.staticImports, ...module.dynamicImports].map(({ moduleRequest }) => moduleRequest),
    ...passedOn(program).map(({ specifier }) => specifier),
  ].sort((left, right) => left.start - right.start);
}
