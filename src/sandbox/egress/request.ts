import { canonicalHost } from "../../config/allowed-host.ts";
import { quoted } from "../../system/printable.ts";
import { acceptedEncodings } from "./body.ts";
import { requestFailed, requestInvalid } from "./network-error.ts";
import type { Incoming, Outgoing } from "./send-request.ts";

const maxUrlLength = 16_384;
const maxHeaderBytes = 32 * 1024;
const redirects = new Set([301, 302, 303, 307, 308]);

/** Ours to say: they are about the connection or the length, or would name another host than the one that was checked. */
const ourHeaders =
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|content-length|accept-encoding|proxy-.*)$/i;

/** The URL of a request; throws when it is odd in a way that two readers could read differently. */
export function readUrl(text: string, base?: URL): URL {
  const shown = quoted(text);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  if (text.length > maxUrlLength || /[\u0000-\u0020\u007f\\]/.test(text))
    throw requestInvalid(`${shown} is not a valid URL`);
  if (!URL.canParse(text, base?.href)) throw requestInvalid(`${shown} is not a URL`);
  const url = new URL(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw requestInvalid(`${shown} is not http or https`);
  if (url.username !== "" || url.password !== "") {
    throw requestInvalid("its URL holds credentials: send them as a header");
  }
  const host = canonicalHost(url.hostname);
  if (host === undefined) throw requestInvalid(`${shown} has no valid host`);
  if (!host.includes(":")) url.hostname = host;
  return url;
}

/** The headers as they are sent: the guest's, but for those that are ours to set. */
export function requestHeaders(
  pairs: readonly (readonly [string, string])[],
  url: URL,
  body: Uint8Array | undefined,
  method: string,
): Headers {
  const headers = new Headers({ accept: "*/*", "user-agent": "mcp-coordinator" });
  for (const [name] of pairs) if (isValid(name, "")) headers.delete(name);
  let bytes = 0;
  for (const [name, value] of pairs) {
    if (!isValid(name, value))
      throw requestInvalid(`the header ${quoted(name)} has characters that no header may have`);
    bytes += name.length + value.length;
    if (!ourHeaders.test(name)) headers.append(name, value);
  }
  if (bytes > maxHeaderBytes) throw requestInvalid(`its headers are longer than ${maxHeaderBytes / 1024} KB`);
  headers.set("host", url.host);
  headers.set("accept-encoding", acceptedEncodings);
  headers.set("connection", "close");
  if (body) headers.set("content-length", String(body.length));
  else if (["POST", "PUT", "PATCH"].includes(method)) headers.set("content-length", "0");
  return headers;
}

function isValid(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/** The request that a redirect asks for, as browsers do it; undefined when the answer is not a redirect. It is checked like any other. */
export function afterRedirect(
  { status, headers: answered }: Pick<Incoming, "status" | "headers">,
  from: URL,
  { method, headers, body }: Outgoing,
): { url: URL; outgoing: Outgoing } | undefined {
  const location = answered.find(([name]) => name === "location")?.[1];
  if (!redirects.has(status) || location === undefined) return undefined;
  const url = redirectUrl(location, from);
  const kept = new Headers(headers);
  kept.set("host", url.host);
  if (url.origin !== from.origin) for (const secret of ["authorization", "cookie"]) kept.delete(secret);
  const becomesGet = status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
  if (!becomesGet) return { url, outgoing: { method, headers: kept, body } };
  for (const name of [...kept.keys()]) if (name.startsWith("content-")) kept.delete(name);
  return { url, outgoing: { method: "GET", headers: kept, body: undefined } };
}

function redirectUrl(location: string, from: URL): URL {
  try {
    return readUrl(location, from);
  } catch {
    throw requestFailed(from.hostname, `it redirects to ${quoted(location)}, which is not a URL to follow`);
  }
}
