import { readAllowedHost } from "../config/allowed-host.ts";
import type { ConfinedCommand } from "../sandbox/confined/run-confined.ts";

/** The hosts of the setting coordinator.packages.hosts, as places that an installer may reach beside its index. */
export function furtherHosts(hosts: readonly string[]): ConfinedCommand["reachable"] {
  return hosts.flatMap((entry) => {
    const read = readAllowedHost(entry);
    return typeof read === "string" ? [] : [{ host: read.host, port: read.port ?? 443, isTrusted: true }];
  });
}
