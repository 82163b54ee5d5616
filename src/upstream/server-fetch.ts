import type { Authorization } from "./oauth/authorization.ts";
import { type QuietInit, quietFetch } from "./quiet-fetch.ts";
import { retryAfter } from "./retry-after.ts";

const busy = new Set([429, 503]);

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
    if (!busy.has(response.status)) return response;
    throw new HttpStatusError(response.status, await response.text(), { retryAfterMs: retryAfter(response) });
  };
}

/** Where a redirect to another host points: to follow it would be to tell that host what was meant for this one. */
function elsewhere(url: string | URL, { status, headers }: Response): string | undefined {
  const location = headers.get("location");
  if (status < 300 || status >= 400 || location === null || !URL.canParse(location, String(url))) return undefined;
  const target = new URL(location, url);
  return target.origin === new URL(url).origin ? undefined : `${target.origin}${target.pathname}`;
}
