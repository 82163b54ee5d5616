const maxSize = 256 * 1024;
const maxDepth = 200;

/**
 * Why a schema is too big to be worked with, or undefined if it is not. Counts as its JSON text would, without recursion: 100,000
 * brackets can be parsed, but JSON.stringify and every recursive reader would overflow the stack.
 */
export function tooBig(schema: unknown): string | undefined {
  let level = [schema];
  let size = 0;
  for (let depth = 0; level.length > 0; depth++) {
    const below: unknown[] = [];
    for (const value of level) {
      size += ownSize(value);
      if (size > maxSize) return `larger than ${maxSize / 1024} KB`;
      if (typeof value === "object" && value !== null) for (const child of Object.values(value)) below.push(child);
    }
    if (depth > maxDepth) return `nested deeper than ${maxDepth} levels`;
    level = below;
  }
  return undefined;
}

/** Without what is inside, but with a character for each member and its key. */
function ownSize(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (Array.isArray(value)) return value.length + 2;
  if (typeof value !== "object" || value === null) return String(value).length;
  return Object.keys(value).reduce((size, key) => size + key.length + 4, 2);
}
