/** What JSON calls an object: fields by name, of any value. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** None of what has none. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}
