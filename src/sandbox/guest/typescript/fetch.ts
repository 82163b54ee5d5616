import type { Host } from "./modules.ts";

/** What the operation "fetch" answers. */
interface Answer {
  readonly url: string;
  readonly redirected: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: [name: string, value: string][];
  readonly body: string;
}

const bodiless = new Set([204, 205, 304]);

/** The web's `fetch`; the host sends the request and reads the answer whole. */
export function createFetch(host: Host): typeof fetch {
  let lastId = 0;
  return async (input, init) => {
    const site = new Error();
    const request = new Request(input, init);
    const { signal } = request;
    signal.throwIfAborted();
    const id = ++lastId;
    const body = request.body ? toBase64(await request.arrayBuffer()) : undefined;
    signal.throwIfAborted();
    const { url, method, redirect } = request;
    const answered = host.operation("fetch", { id, url, method, redirect, headers: [...request.headers], body });
    const abort = () => void host.operation("abort_fetch", { id }).catch(() => {});
    signal.addEventListener("abort", abort, { once: true });
    try {
      return responseOf((await unlessAborted(answered, signal)) as Answer);
    } catch (thrown) {
      signal.throwIfAborted();
      throw networkError(thrown, site);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  };
}

function unlessAborted(answered: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    answered.then(resolve, reject);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function responseOf({ url, redirected, status, statusText, headers, body }: Answer): Response {
  const bytes = bodiless.has(status) ? null : Buffer.from(body, "base64");
  const response = new Response(bytes, { status, statusText, headers });
  Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } });
  return response;
}

/** The web knows one class for whatever goes wrong on the way; the stack is that of the guest's call. */
function networkError(thrown: unknown, site: Error): TypeError {
  const { message, code } = thrown as Error & { code?: string };
  const error = Object.assign(new TypeError(message, { cause: thrown }), { code });
  error.stack = `TypeError: ${message}\n${site.stack?.split("\n").slice(1).join("\n")}`;
  return error;
}

function toBase64(bytes: ArrayBuffer): string {
  return Buffer.from(bytes).toString("base64");
}
