import type { Actor } from "../../actor.ts";
import { CoordinatorError } from "../../errors.ts";
import { Turns } from "../../system/turns.ts";
import { waitFor } from "../../system/wait-for.ts";
import type { Execute } from "../execute.ts";
import type { RunRequest } from "../execute-request.ts";
import { createAbsences, createRunPlace, type RunPlace } from "./run-place.ts";

const longestWaitMs = 10 * 60_000;

/** The same, at most `most` at a time: the others wait, and clients take turns. Time spent waiting is not the run's. */
export function inTurn(
  execute: (request: RunRequest, actor: Actor, place: RunPlace) => ReturnType<Execute>,
  most: number,
): Execute {
  const turns = new Turns({ most });
  const absences = createAbsences();
  return async (request, actor) => {
    const client = actor.caller?.id ?? "";
    const first = turns.enter(client);
    if (first === undefined) throw busy(`${turns.waiting} runs wait for their turn already`);
    const place = createRunPlace(first, client, { turns, absences });
    try {
      if (first.turn !== undefined) {
        actor.onProgress?.(`waits for its turn, as one of ${turns.waiting}`);
        const outcome = await waitFor(first.turn, longestWaitMs, actor.signal);
        if (outcome === "late") throw busy(`it has waited ${longestWaitMs / 60_000} minutes for its turn`);
        if (outcome === "cancelled") throw cancelled();
      }
      return await execute(request, actor, place);
    } finally {
      place.leave();
    }
  };
}

function busy(why: string): CoordinatorError {
  return new CoordinatorError("runs_busy", `The run was not started: ${why}`, {
    hint: "Nothing has run. Run it again when others have ended, or raise coordinator.sandbox.limits.parallelRuns.",
  });
}

function cancelled(): CoordinatorError {
  return new CoordinatorError("call_cancelled", "The run was cancelled while it waited for its turn; nothing has run");
}
