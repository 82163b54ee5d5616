import { setTimeout as delay } from "node:timers/promises";
import type { Client, SubscriptionFilter } from "@modelcontextprotocol/client";
import { backoff } from "./backoff.ts";

const ackMs = 30_000;

const kinds = ["tools", "prompts", "resources"] as const;

/**
 * From 2026-07-28 on a server tells of changed lists only those who ask to be told, as long as their request is open. It
 * is opened again when it breaks; what changed meanwhile is not known, so that counts as a change of each.
 */
export async function followChanges(
  client: Client,
  signal: AbortSignal,
  onChanged: (notification: string) => void,
): Promise<void> {
  const changing = kinds.filter((kind) => client.getServerCapabilities()?.[kind]?.listChanged);
  if (client.getProtocolEra() !== "modern" || changing.length === 0) return;
  const filter: SubscriptionFilter = Object.fromEntries(changing.map((kind) => [`${kind}ListChanged`, true]));
  for (let failures = 0; !signal.aborted; ) {
    try {
      const { closed } = await client.listen(filter, { timeout: ackMs, signal });
      if (failures > 0) for (const kind of changing) onChanged(`notifications/${kind}/list_changed`);
      failures = 0;
      // A server that has ended it on purpose is not asked again.
      if ((await closed) !== "remote") return;
      failures = 1;
    } catch {
      // It is an extra: a server that declares it and does not serve it is used without.
      failures++;
      if (failures > 5) return;
    }
    await delay(backoff(failures + 2), undefined, { signal, ref: false }).catch(() => {});
  }
}
