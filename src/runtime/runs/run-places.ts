import type { Actor } from "../../actor.ts";
import { CoordinatorError } from "../../errors.ts";
import { Turns } from "../../system/turns.ts";
import { waitFor } from "../../system/wait-for.ts";
import { createAbsences, createRunPlace, type RunPlace } from "./run-place.ts";

/** So many runs at a time: the others wait, and clients take turns. */
export interface RunPlaces {
  /** A place for one run of the actor, to be left when it has ended. Throws when there is none, or the wait is cancelled. */
  take(actor: Actor): Promise<RunPlace & { leave(): void }>;
}

const longestWaitMs = 10 * 60_000;

export function createRunPlaces(most: number): RunPlaces {
  const turns = new Turns({ most });
  const absences = createAbsences();
  return {
    async take({ caller, signal, onProgress }) {
      const client = caller?.id ?? "";
      const first = turns.enter(client);
      if (first === undefined) throw busy(`${turns.waiting} runs are waiting for their turn already`);
      const place = createRunPlace(first, client, { turns, absences });
      if (first.turn === undefined) return place;
      onProgress?.(`waits for its turn, as one of ${turns.waiting}`);
      const outcome = await waitFor(first.turn, longestWaitMs, signal);
      if (outcome !== "late" && outcome !== "cancelled") return place;
      place.leave();
      throw outcome === "late" ? busy(`it has waited ${longestWaitMs / 60_000} minutes for its turn`) : cancelled();
    },
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
