import type { Connection } from "./connection.ts";

/**
 * Whether a server answers a ping, or anything else meanwhile: the answers to many large calls stand before the one to a
 * ping, and a server that still sends them is not silent.
 */
export async function isStillThere(connection: Connection, silenceMs: number, answers: () => number): Promise<boolean> {
  for (let before = -1; before !== answers() && !connection.isSpent; ) {
    before = answers();
    if (await connection.responds(silenceMs)) return true;
  }
  return false;
}
