import { applyEdits, insert } from "../edits.ts";
import type { PyrightFinding } from "./pyright-finding.ts";

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The types of expressions, as pyright prints them, learnt by a second look at the text with `reveal_type` around each. */
export async function revealTypes(
  source: string,
  ranges: readonly Range[],
  look: (text: string) => Promise<readonly PyrightFinding[]>,
): Promise<Map<string, string>> {
  // Of those that begin at one place the longest first.
  const distinct = [...new Map(ranges.map((range) => [keyOf(range), range])).values()].sort(
    (left, right) => right.to - left.to,
  );
  const opened = (offset: number, to: number) =>
    distinct.filter((range) => range.from < offset || (range.from === offset && range.to >= to)).length *
    opening.length;
  const closed = (offset: number) => distinct.filter((range) => range.to <= offset).length;
  const ends = distinct.map(({ to }) => insert(to, ")"));
  const found = await look(applyEdits(source, [...ends, ...distinct.map(({ from }) => insert(from, opening))]));
  const types = new Map<number, string>();
  for (const { from, message } of found) {
    const type = revealed(message);
    if (type !== undefined) types.set(from, type);
  }
  return new Map(
    distinct.flatMap((range) => {
      const type = types.get(range.from + opened(range.from, range.to) + closed(range.from));
      return type === undefined ? [] : [[keyOf(range), type] as const];
    }),
  );
}

/** `Type of "…" is "…"`: the type. The expression may hold the same words. */
function revealed(message: string): string | undefined {
  const divider = '" is "';
  const at = message.lastIndexOf(divider);
  if (!message.startsWith('Type of "') || at < 0 || !message.endsWith('"')) return undefined;
  const type = message.slice(at + divider.length, -1);
  return type.includes("\n") ? undefined : type;
}

const opening = "reveal_type(";

export function keyOf({ from, to }: Range): string {
  return `${from}:${to}`;
}
