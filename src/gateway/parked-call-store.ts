/** A call that waits for its client, as data that a store can hold. */
interface ParkedCall {
  /** Of the client's request: no other request may go on with the call. */
  readonly fingerprint: string;
  /** How much of what the client has sent is held, in characters of JSON. */
  readonly characters: number;
}

/** Which calls wait for their clients, each by the state that its client was given to come back with. */
export interface ParkedCallStore {
  /** False when there is no room: nothing is kept then. */
  park(state: string, call: ParkedCall): Promise<boolean>;
  /** True once for a state, with the fingerprint that it was parked with: of several who take it, one has it. */
  take(state: string, fingerprint: string): Promise<boolean>;
  size(): Promise<number>;
}

export function createParkedCallMemory({ most = 256, mostCharacters = 32 * 1024 * 1024 } = {}): ParkedCallStore {
  const parked = new Map<string, ParkedCall>();
  return {
    async park(state, call) {
      const held = [...parked.values()].reduce((sum, { characters }) => sum + characters, call.characters);
      if (parked.size >= most || held > mostCharacters) return false;
      parked.set(state, call);
      return true;
    },
    async take(state, fingerprint) {
      return parked.get(state)?.fingerprint === fingerprint && parked.delete(state);
    },
    size: async () => parked.size,
  };
}
