/** Puts an entry last in a map that holds so many at the most, and returns the one that fell out of it for that. */
export function keepRecent<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  most: number,
): [Key, Value] | undefined {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map;
  if (map.size <= most || !oldest) return undefined;
  map.delete(oldest[0]);
  return oldest;
}
