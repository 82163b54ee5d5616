const first = 300;
const longest = 30_000;

/**
 * Milliseconds to leave a server alone after so many failed starts in a row. The first failure costs nothing: a person
 * who has just corrected the cause tries again at once.
 */
export function backoff(failures: number, random: number = Math.random()): number {
  if (failures < 2) return 0;
  const delay = Math.min(longest, first * 2 ** (failures - 2));
  return Math.min(longest, Math.round(delay * (0.75 + random / 2)));
}
