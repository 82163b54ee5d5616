import { domainToASCII } from "node:url";

/** `scheme://host`, with a user before and a port behind it, where nothing has two readings. */
const plainAddress = /^[a-z][a-z\d+.-]*:\/\/(?:[^\s\\@/?#]*@)?(\[[^\s\\@/?#\]]*\]|[^\s\\@/?#:]+)(?::\d*)?(?:[/?#]|$)/i;

const webProtocols: ReadonlySet<string> = new Set(["http:", "https:", "ws:", "wss:"]);

/** The host of an address that is written so that all programs find the same; undefined of any other text. */
export function plainHost(text: string): string | undefined {
  const written = plainAddress.exec(text)?.[1];
  const host = hostOf(text);
  // A tab or a line break would be left out by some.
  if (written === undefined || /\p{Cc}/u.test(text)) return undefined;
  return host === canonical(written.toLowerCase()) ? host : undefined;
}

/** Every host that a program might take a text to lead to: some do without a scheme, and some read `\` as we do not. */
export function possibleHosts(text: string): readonly string[] {
  const address = text.trim();
  const readings = [address, `https://${address.replace(/^[/\\]+/, "")}`];
  if (address.includes("\\")) readings.push(address.replaceAll("\\", "%5C"));
  return [...new Set(readings.flatMap((reading) => hostOf(reading) ?? []))];
}

/** A glob as it has to be to fit hosts, which are in small letters and ASCII. */
export function hostGlob(glob: string): string {
  const labels = canonical(glob.toLowerCase()).split(".");
  const isWord = (label: string) => /\P{ASCII}/u.test(label) && !/[*?]/.test(label);
  return labels.map((label) => (isWord(label) ? domainToASCII(label) : label)).join(".");
}

function hostOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { hostname, protocol } = new URL(address);
  if (webProtocols.has(protocol)) return canonical(hostname) || undefined;
  // Of other schemes it comes as it was written.
  const asWeb = `https://${hostname}`;
  return canonical(URL.canParse(asWeb) ? new URL(asWeb).hostname : hostname) || undefined;
}

/** With the root's dot a name is the same name. */
function canonical(host: string): string {
  let end = host.length;
  while (host[end - 1] === ".") end--;
  return host.slice(0, end);
}
