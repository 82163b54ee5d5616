import type { EventId, EventStore, JSONRPCMessage, StreamId } from "@modelcontextprotocol/server";

/** How much of a session is kept: its newest messages, and of those the newest in any case. */
const mostEvents = 100;
const mostBytes = 512 * 1024;

interface Kept {
  readonly id: EventId;
  readonly stream: StreamId;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
}

/** What a session was sent last: a client whose connection broke asks again for what it has missed. */
export function createReplay(): EventStore {
  const kept: Kept[] = [];
  let bytes = 0;
  let last = 0;
  const find = (id: EventId) => kept.findIndex((event) => event.id === id);
  return {
    async storeEvent(stream, message) {
      const id = String(++last);
      const size = Buffer.byteLength(JSON.stringify(message));
      kept.push({ id, stream, message, bytes: size });
      bytes += size;
      while (kept.length > mostEvents || (bytes > mostBytes && kept.length > 1)) bytes -= kept.shift()?.bytes ?? 0;
      return id;
    },
    getStreamIdForEventId: async (id) => kept[find(id)]?.stream,
    async replayEventsAfter(id, { send }) {
      const at = find(id);
      const { stream } = kept[at] ?? { stream: "" };
      const missed = kept.slice(at + 1).filter((event) => event.stream === stream);
      for (const event of missed) await send(event.id, event.message);
      return stream;
    },
  };
}
