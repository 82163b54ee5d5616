import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { createReplay } from "./replay.ts";

const message = (text: string): JSONRPCMessage => ({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { text },
});

async function missed(replay: ReturnType<typeof createReplay>, after: string) {
  const sent: unknown[] = [];
  const stream = await replay.replayEventsAfter(after, {
    send: async (_id, event) => {
      sent.push("params" in event && event.params?.["text"]);
    },
  });
  return { stream, sent };
}

test("gives what came after, of the same stream", async () => {
  const replay = createReplay();
  const first = await replay.storeEvent("a", message("a1"));
  await replay.storeEvent("b", message("b1"));
  const second = await replay.storeEvent("a", message("a2"));
  await replay.storeEvent("a", message("a3"));
  expect(await replay.getStreamIdForEventId?.(first)).toBe("a");
  expect(await missed(replay, first)).toEqual({ stream: "a", sent: ["a2", "a3"] });
  expect(await missed(replay, second)).toEqual({ stream: "a", sent: ["a3"] });
});

test("keeps a hundred and half a megabyte, and the newest however large it is", async () => {
  const replay = createReplay();
  const ids: string[] = [];
  for (let count = 0; count < 150; count++) ids.push(await replay.storeEvent("a", message(String(count))));
  const known = (id?: string) => replay.getStreamIdForEventId?.(id ?? "");
  expect([await known(ids[49]), await known(ids[50])]).toEqual([undefined, "a"]);
  const large = await replay.storeEvent("a", message("x".repeat(600_000)));
  expect([await known(ids[149]), await known(large)]).toEqual([undefined, "a"]);
  const small = await replay.storeEvent("a", message("y"));
  expect([await known(large), await known(small)]).toEqual([undefined, "a"]);
});
