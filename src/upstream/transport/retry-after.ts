const longestMs = 60_000;
const busy = new Set([429, 503]);

/** How long a server that is busy asks to be left alone, at most a minute; undefined when it does not say. */
export function retryAfter({ status, headers }: Pick<Response, "status" | "headers">): number | undefined {
  const text = headers.get("retry-after");
  if (!busy.has(status) || text === null) return undefined;
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(longestMs, Math.max(0, ms));
}
