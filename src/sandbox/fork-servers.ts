import type { ForkServer } from "./fork-server.ts";

/** The fork servers of an engine: one that starts guests, the one after it, and those whose last guests still run. */
export interface ForkServers<Prepared> {
  /** One that can start a guest. */
  withSlot(prepared: Prepared): ForkServer;
  /** Ends all that have no guest; whether that is all. */
  retire(): Promise<boolean>;
}

/** The next server is started when only `fewSlots` are left; with none, when the next guest needs it. */
export function createForkServers<Prepared>(
  start: (prepared: Prepared, onEnd: () => void) => ForkServer,
  fewSlots: number,
): ForkServers<Prepared> {
  const servers = new Set<ForkServer>();
  let current: ForkServer | undefined;
  let following: ForkServer | undefined;
  const add = (prepared: Prepared): ForkServer => {
    const server = start(prepared, () => servers.delete(server));
    servers.add(server);
    return server;
  };
  return {
    withSlot(prepared) {
      if (current?.freeSlots === 0) {
        void current.retire();
        current = undefined;
      }
      current ??= following && !following.isEnded ? following : add(prepared);
      if (current === following) following = undefined;
      if (current.freeSlots <= fewSlots) following ??= add(prepared);
      return current;
    },
    async retire() {
      current = undefined;
      following = undefined;
      await Promise.all([...servers].map((server) => server.retire()));
      return servers.size === 0;
    },
  };
}
