import { isFields } from "../system/fields.ts";

/** About how many characters a value takes as JSON; counts no further than `most`. */
export function textSize(value: unknown, most: number): number {
  let size = 0;
  // A stack of its own: a value may nest deeper than calls can.
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && size <= most) {
    const one = waiting.pop();
    size += typeof one === "string" ? one.length + 3 : 3;
    if (Array.isArray(one)) {
      if (one.length > most) return one.length;
      for (const item of one) waiting.push(item);
      continue;
    }
    if (!isFields(one)) continue;
    const names = Object.keys(one);
    if (names.length > most) return names.length;
    for (const name of names) {
      size += name.length + 3;
      waiting.push(one[name]);
    }
  }
  return size;
}
