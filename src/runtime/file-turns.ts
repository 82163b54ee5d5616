import { CoordinatorError } from "../errors.ts";
import { Turns } from "../system/turns.ts";
import type { HeavyOptions } from "./heavy-work.ts";

const turns = new Turns({ most: 2 });

/**
 * For long looks at the workspace, which give way to others on the way: each holds handles, or a whole file in memory,
 * until it is done, so that few may be under way at once.
 */
export async function inFileTurn<Result>({ turn, signal }: HeavyOptions, work: () => Promise<Result>): Promise<Result> {
  const place = turns.enterAgain(turn);
  try {
    await place.turn;
    if (signal?.aborted) throw new CoordinatorError("call_cancelled", "It was cancelled while it waited for its turn");
    return await work();
  } finally {
    place.leave();
  }
}
