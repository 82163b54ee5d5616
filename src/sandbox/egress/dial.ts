import { lookup as lookupName } from "node:dns/promises";
import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { canonicalHost } from "../../config/allowed-host.ts";
import { type AllowList, createAllowList, type Target } from "./allow-list.ts";
import { notAllowed, notPublic, reasonOf, requestFailed, requestInvalid } from "./network-error.ts";
import { isPublicAddress } from "./public-address.ts";

export interface DialOptions extends Omit<AddressOptions, "open"> {
  /** The entries of `coordinator.sandbox.network.allow`. */
  readonly allow: readonly string[];
}

interface AddressOptions {
  /** What the user has opened, as it is told to somebody who asks for more. */
  readonly open?: readonly string[] | undefined;
  /** All addresses of a host name; the system's resolver when absent. */
  readonly lookup?: ((host: string) => Promise<readonly string[]>) | undefined;
  /** Which addresses may be reached; public ones when absent. */
  readonly isPublic?: ((address: string) => boolean) | undefined;
}

/** Connects to the host and port of an http or https URL, if the user has opened them; only to an address that it has checked. */
export type Dial = (url: URL, signal: AbortSignal) => Promise<Socket>;

/** How long one of several addresses may keep the next one waiting. */
const attemptMs = 5000;

export function createDial({ allow, lookup, isPublic = isPublicAddress }: DialOptions): Dial {
  return dialAllowed(createAllowList(allow, isPublic), { lookup, isPublic, open: allow });
}

/** The same for places that an allow list of its own opens. */
export function dialAllowed(
  isAllowed: AllowList,
  { lookup = systemLookup, isPublic = isPublicAddress, open = [] }: AddressOptions,
): Dial {
  return async (url, signal) => {
    const target = targetOf(url, isAllowed, open);
    // Asked once: a second answer could be another one than was checked.
    const addresses = isIP(target.host) === 0 ? await resolve(target.host, lookup, signal) : [target.host];
    if (!addresses.every(isPublic)) throw notPublic(target.host);
    return connectToFirst(target, addresses, signal);
  };
}

/** The place that a URL leads to; throws unless the user has opened it. No name is resolved before that. */
function targetOf(url: URL, isAllowed: AllowList, open: readonly string[]): Target {
  const { protocol } = url;
  if (protocol !== "http:" && protocol !== "https:") throw requestInvalid("only http and https are spoken");
  const host = canonicalHost(url.hostname);
  if (host === undefined) throw requestInvalid("its URL has no valid host");
  const port = portOf(url);
  const target = { protocol, host, port };
  if (isAllowed(target)) return target;
  throw notAllowed(url.port === "" ? host : `${host} at port ${port}`, open);
}

/** The port of an http or https URL, also where it is the usual one. */
export function portOf({ port, protocol }: URL): number {
  return port === "" ? (protocol === "http:" ? 80 : 443) : Number(port);
}

async function resolve(
  host: string,
  lookup: (host: string) => Promise<readonly string[]>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const addresses = await unlessAborted(lookup(host), signal).catch((thrown) => {
    signal.throwIfAborted();
    throw requestFailed(host, `its name could not be resolved (${reasonOf(thrown)})`);
  });
  if (addresses.length === 0) throw requestFailed(host, "its name has no address");
  return addresses;
}

/** Waits for what cannot be stopped, such as the system's resolver; the wait itself can be. */
export async function unlessAborted<T>(work: T, signal: AbortSignal): Promise<Awaited<T>> {
  signal.throwIfAborted();
  const done = new AbortController();
  try {
    const aborted = once(signal, "abort", { signal: done.signal }).then(() => Promise.reject(signal.reason));
    return await Promise.race([work, aborted]);
  } finally {
    done.abort();
  }
}

async function connectToFirst(
  { host, port }: Target,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Socket> {
  let failure: unknown;
  for (const address of addresses) {
    const isLast = address === addresses.at(-1);
    const patience = isLast ? signal : AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]);
    // An address, never a name: there is nothing left to resolve.
    const socket = connect({ host: address, port, noDelay: true });
    socket.on("error", () => {}); // the socket's user notices by its end
    try {
      await once(socket, "connect", { signal: patience });
      return socket;
    } catch (thrown) {
      socket.destroy();
      signal.throwIfAborted();
      failure = thrown;
    }
  }
  throw requestFailed(host, reasonOf(failure));
}

async function systemLookup(host: string): Promise<readonly string[]> {
  return (await lookupName(host, { all: true })).map(({ address }) => address);
}
