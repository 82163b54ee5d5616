const maxSize = 256 * 1024;
const maxDepth = 200;

/** How long a schema is, about as its JSON text; `problem` says why it is too big to be worked with. */
export interface SchemaSize {
  readonly size: number;
  readonly problem?: string;
}

/** Without recursion: 100,000 brackets can be parsed, but JSON.stringify and every recursive reader would overflow the stack. */
export function schemaSize(schema: unknown): SchemaSize {
  let level = [schema];
  let size = 0;
  for (let depth = 0; level.length > 0; depth++) {
    const below: unknown[] = [];
    for (const value of level) {
      size += ownSize(value);
      if (size > maxSize) return { size, problem: `larger than ${maxSize / 1024} KB` };
      if (typeof value === "object" && value !== null) for (const child of Object.values(value)) below.push(child);
    }
    if (depth > maxDepth) return { size, problem: `nested deeper than ${maxDepth} levels` };
    level = below;
  }
  return { size };
}

/** Without what is inside, but with a character for each member and its key. */
function ownSize(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (Array.isArray(value)) return value.length + 2;
  if (typeof value !== "object" || value === null) return String(value).length;
  return Object.keys(value).reduce((size, key) => size + key.length + 4, 2);
}
