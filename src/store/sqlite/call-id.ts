/** How many calls of one run have an id of their own. Leaves room for two billion runs in a safe integer. */
export const callsPerRun = 2 ** 22;

/** The id of a run's call: ids of one run lie side by side, in the order of its calls. */
export function callId(runNumber: number, ordinal: number): number {
  return runNumber * callsPerRun + ordinal;
}

/** The first id that belongs to the run, and the first that no longer does. */
export function callIdsOf(runNumber: number): [number, number] {
  return [callId(runNumber, 0), callId(runNumber + 1, 0)];
}

export function runNumberOf(call: number): number {
  return Math.floor(call / callsPerRun);
}
