import type { Actor, Run, Via } from "../actor.ts";
import { type CoordinatorError, messageOf } from "../errors.ts";
import { createDeparture } from "./departure.ts";
import { createRunId } from "./run-id.ts";

/** What the journal says of runs that have no status of their own: under way, their coordinator is gone, a person is to decide. */
export const withoutEnd = ["running", "lost", "needs_approval"] as const;

export interface RunStart {
  /** Sorts after the ids of earlier runs. */
  readonly id: string;
  readonly language: string;
  readonly engine: string;
  readonly code: string;
  readonly client?: string | undefined;
  /** By which face it came. */
  readonly via?: Via | undefined;
}

export interface RunFinish {
  readonly status: string;
  readonly error?: string | undefined;
  readonly calls: number;
  readonly resultBytes: number;
  readonly stdoutBytes: number;
  /** What came of it, as JSON, where somebody may ask for it again. */
  readonly answer?: string | undefined;
}

/** Where runs begin and end. */
export interface RunLog {
  startRun(run: RunStart): Promise<void>;
  finishRun(id: string, end: RunFinish): Promise<void>;
}

/** What came of an act that was a run of its own, once nobody waits for it. */
interface LateAnswer {
  readonly status: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface Keeping<Answer> {
  /** What an answer says that tells of a failure. */
  readonly errorIn?: (answer: Answer) => string | undefined;
  /** What of it is kept for whoever asks later. */
  readonly kept?: (answer: Answer) => unknown;
}

/** Does something as a part of the run that the actor is in, else as a run of its own: nothing passes unrecorded. */
export async function asRun<Answer>(
  runs: RunLog,
  actor: Actor,
  work: (actor: Actor & { readonly run: Run }) => Promise<Answer>,
  { errorIn, kept }: Keeping<Answer> = {},
): Promise<Answer> {
  const { run, client, via } = actor;
  if (run) return work({ ...actor, run });
  const id = createRunId();
  const departure = createDeparture<Answer>(actor.signal);
  let ended: CoordinatorError | undefined;
  const own: Run = {
    id,
    language: "none",
    patience: {
      get caller() {
        return departure.hasLeft ? undefined : actor.caller;
      },
      during: async (waiting) => void (await waiting),
      leave: (why) => departure.leave(Promise.reject(why)),
      end(why) {
        ended = why;
        departure.end(why);
      },
    },
  };
  const record = async (): Promise<Answer> => {
    let error: string | undefined;
    let late: LateAnswer = { status: "error" };
    try {
      const answer = await work({ ...actor, run: own, signal: departure.signal });
      error = errorIn?.(answer);
      late = { status: error === undefined ? "ok" : "error", result: kept ? kept(answer) : answer };
      return answer;
    } catch (thrown) {
      error = messageOf(ended ?? thrown);
      late = { status: ended ? "needs_approval" : "error", error: { message: error } };
      throw ended ?? thrown;
    } finally {
      const { status } = late;
      const answer = departure.hasLeft ? JSON.stringify(late) : undefined;
      await runs.finishRun(id, { status, error, calls: 1, resultBytes: 0, stdoutBytes: 0, answer });
    }
  };
  await runs.startRun({ id, language: "none", engine: "none", code: "", client, via });
  return departure.first(record());
}
