import { isIP } from "node:net";
import { type AllowedHost, readAllowedHost } from "../../config/allowed-host.ts";
import { CoordinatorError } from "../../errors.ts";
import { quoted } from "../../system/printable.ts";

/** A place to connect to: `host` is canonical, see canonicalHost. */
export interface Target {
  readonly protocol: string;
  readonly host: string;
  readonly port: number;
}

/** Whether the user has opened a place. An empty list opens none. */
export type AllowList = (target: Target) => boolean;

const usualPorts = new Map([
  ["http:", 80],
  ["https:", 443],
]);

/** Throws config_invalid with every entry that cannot be meant; `isPublic` decides on entries that are addresses. */
export function createAllowList(entries: readonly string[], isPublic: (address: string) => boolean): AllowList {
  const read = entries.map((entry) => ({ entry, host: checked(readAllowedHost(entry), isPublic) }));
  const problems = read.flatMap(({ entry, host }) => (typeof host === "string" ? [`${quoted(entry)} ${host}`] : []));
  if (problems.length > 0) {
    throw new CoordinatorError(
      "config_invalid",
      `Cannot use coordinator.sandbox.network.allow: ${problems.join("; ")}`,
    );
  }
  const hosts = read.flatMap(({ host }) => (typeof host === "string" ? [] : [host]));
  return (target) => hosts.some((allowed) => opens(allowed, target));
}

function checked(host: AllowedHost | string, isPublic: (address: string) => boolean): AllowedHost | string {
  if (typeof host === "string" || isIP(host.host) === 0 || isPublic(host.host)) return host;
  return "is not a public address: private, local and reserved ones stay closed";
}

function opens(allowed: AllowedHost, { protocol, host, port }: Target): boolean {
  if (port !== (allowed.port ?? usualPorts.get(protocol))) return false;
  if (!allowed.subdomains) return host === allowed.host;
  return isIP(host) === 0 && host.endsWith(`.${allowed.host}`);
}
