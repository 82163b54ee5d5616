import type { DefinitionKind } from "./definition.ts";
import type { Lock } from "./lock-schema.ts";

export const lockName = "mcp-coordinator.lock.json";

/** The hash that a definition has to have; undefined for what the lock does not have. */
export function lockedHash(lock: Lock, server: string, kind: DefinitionKind, name: string): string | undefined {
  const hashes = Object.hasOwn(lock.servers, server) ? lock.servers[server]?.[kind] : undefined;
  return hashes && Object.hasOwn(hashes, name) ? hashes[name] : undefined;
}

/** Sorted, so that two of them can be compared by eye. */
export function lockText({ servers }: Lock): string {
  const sorted = <Value>(record: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(record).sort(([left], [right]) => (left < right ? -1 : 1)));
  const all = Object.entries(servers).map(([name, { server, ...kinds }]) => {
    const filled = Object.entries(kinds).filter(([, hashes]) => Object.keys(hashes).length > 0);
    return [name, { server, ...Object.fromEntries(filled.map(([kind, hashes]) => [kind, sorted(hashes)])) }] as const;
  });
  return `${JSON.stringify({ lockVersion: 1, servers: sorted(Object.fromEntries(all)) }, undefined, 2)}\n`;
}
