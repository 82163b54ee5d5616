import type { Authorization } from "../oauth/authorization.ts";
import { type QuietInit, quietFetch } from "./quiet-fetch.ts";

const busy = new Set([429, 503]);
const longestRetryMs = 60_000;
/** How much is read of what stands behind a status that says enough by itself, and for how long. */
const failureBytes = 64 * 1024;
const failureMs = 1000;

/** An answer of the server's HTTP layer that is not a success. */
export class HttpStatusError extends Error {
  override readonly name = "HttpStatusError";
  readonly status: number;
  readonly body: string;
  /** How long the server wants to be left alone. */
  readonly retryAfterMs: number | undefined;
  /** Where a redirect points that is not followed, without its query. */
  readonly location: string | undefined;

  constructor(status: number, body: string, more: { retryAfterMs?: number | undefined; location?: string } = {}) {
    super(`HTTP ${status}`);
    this.status = status;
    this.body = body;
    this.retryAfterMs = more.retryAfterMs;
    this.location = more.location;
  }
}

export type ServerFetch = (url: string | URL, init?: QuietInit) => Promise<Response>;

/** Requests of a transport. What the SDK would report without the part that a user needs is thrown here. */
export function createServerFetch(authorization: Authorization | undefined): ServerFetch {
  const send: ServerFetch = authorization ? (url, init) => authorization.fetch(url, init) : quietFetch;
  return async (url, init) => {
    const response = await send(url, init);
    const location = elsewhere(url, response);
    if (location !== undefined) {
      await response.body?.cancel();
      throw new HttpStatusError(response.status, "", { location });
    }
    if (response.status < 400) return response;
    const body = await beginningOf(response);
    if (!busy.has(response.status)) return new Response(body, response);
    throw new HttpStatusError(response.status, body, { retryAfterMs: retryAfter(response) });
  };
}

async function beginningOf({ body }: Response): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  // A read that is waiting then ends as if the body had ended.
  const stop = () => void reader.cancel().catch(() => {});
  const timer = setTimeout(stop, failureMs);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    while (bytes < failureBytes) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      bytes += value.length;
    }
  } catch {
    // It broke off: the status came all the same.
  } finally {
    clearTimeout(timer);
    stop();
  }
  return Buffer.concat(chunks).toString("utf8", 0, failureBytes);
}

/** Where a redirect to another host points: to follow it would be to tell that host what was meant for this one. */
function elsewhere(url: string | URL, { status, headers }: Response): string | undefined {
  const location = headers.get("location");
  if (status < 300 || status >= 400 || location === null || !URL.canParse(location, String(url))) return undefined;
  const target = new URL(location, url);
  return target.origin === new URL(url).origin ? undefined : `${target.origin}${target.pathname}`;
}

/** How long a server that is busy asks to be left alone, at most a minute; undefined when it does not say. */
export function retryAfter({ status, headers }: Pick<Response, "status" | "headers">): number | undefined {
  const text = headers.get("retry-after");
  if (!busy.has(status) || text === null) return undefined;
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(longestRetryMs, Math.max(0, ms));
}
