import { HttpRequestError, quietFetch } from "../transport/quiet-fetch.ts";

const timeoutMs = 20_000;

/** The fetch with which a server's authorization servers are asked. */
export type OAuthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Where a server sends us for authorization is the server's word: it is asked over https only, but for the server's own
 * origin, and for this machine when the server is on it.
 */
export function createOAuthFetch(serverUrl: string): OAuthFetch {
  const server = new URL(serverUrl);
  return async (url, init = {}) => {
    const target = new URL(url);
    if (!isTrustworthy(target, server)) throw new Error(`${target.origin} is refused: it is not https`);
    const body = init.body instanceof URLSearchParams ? init.body.toString() : init.body;
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      return await quietFetch(target, { ...init, signal, ...(body !== undefined && { body }) });
    } catch (thrown) {
      // What fetch throws when the network fails: the SDK takes anything else for "there is no such document".
      if (thrown instanceof HttpRequestError)
        throw new TypeError(`${target.host}: ${thrown.message}`, { cause: thrown });
      throw thrown;
    }
  };
}

function isTrustworthy(target: URL, server: URL): boolean {
  if (target.protocol === "https:" || target.origin === server.origin) return true;
  return target.protocol === "http:" && isLoopback(target.hostname) && isLoopback(server.hostname);
}

export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
