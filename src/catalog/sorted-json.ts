/** A value as JSON whose text does not depend on the order of keys. */
export function sortedJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, sortKeys, indent);
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
