import { isIP } from "node:net";

/** One entry of `network.allow`. */
export interface AllowedHost {
  /** A canonical host; with `subdomains` those below it are meant, and not itself. */
  readonly host: string;
  readonly subdomains: boolean;
  /** Absent: 80 for http and 443 for https. */
  readonly port: number | undefined;
}

const entryPattern = /^(\*\.)?(\[[\da-f:.]+\]|[^\s:/?#@\\[\]*%]+)(?::(\d{1,5}))?$/i;
const labelPattern = /^(?!-)[a-z\d_-]{1,63}(?<!-)$/;

/** Reads an entry; a text is what is wrong with it, in words that can follow it. */
export function readAllowedHost(entry: string): AllowedHost | string {
  const [, wildcard, written, digits] = entryPattern.exec(entry) ?? [];
  if (entry === "*" || /^\*\.[^.:]*\.?(:\d*)?$/.test(entry))
    return "opens too much: a wildcard stands before two names or more, as in *.example.org";
  const host = written === undefined ? undefined : canonicalHost(written);
  const port = digits === undefined ? undefined : Number(digits);
  if (host === undefined || (wildcard && isIP(host) !== 0))
    return "is not a host: write one as in api.example.org, *.example.org or api.example.org:8443";
  if (isIP(host) === 0 && !host.includes(".")) return "is not a public host: such a name has a dot";
  if (port === 0 || (port ?? 0) > 65_535) return "has a port outside 1 to 65535";
  return { host, subdomains: wildcard !== undefined, port };
}

/**
 * The one spelling of a host: lower case, punycode, no trailing dot; an address, however it was written, in its usual
 * form without brackets. Undefined when it is neither.
 */
export function canonicalHost(text: string): string | undefined {
  if (!/^(\[[^\]]*\]|[^:/?#@\\[\]]+)$/.test(text) || !URL.canParse(`http://${text}/`)) return undefined;
  const { hostname } = new URL(`http://${text}/`);
  const host = hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  if (isIP(host) !== 0) return host;
  return host.length <= 253 && host.split(".").every((label) => labelPattern.test(label)) ? host : undefined;
}
