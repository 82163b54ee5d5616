import type { Actor, Run, Via } from "../actor.ts";
import { messageOf } from "../errors.ts";
import { createRunId } from "./run-id.ts";

/** What the journal says of runs that have no status of their own: under way, or their coordinator is gone. */
export const withoutEnd = ["running", "lost"] as const;

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
}

/** Where runs begin and end. */
export interface RunLog {
  startRun(run: RunStart): Promise<void>;
  finishRun(id: string, end: RunFinish): Promise<void>;
}

/** Does something as a part of the run that the actor is in, else as a run of its own: nothing passes unrecorded. */
export async function asRun<Answer>(
  runs: RunLog,
  actor: Actor,
  work: (actor: Actor & { readonly run: Run }) => Promise<Answer>,
  errorIn: (answer: Answer) => string | undefined = () => undefined,
): Promise<Answer> {
  const { run, client, via } = actor;
  if (run) return work({ ...actor, run });
  const own: Run = { id: createRunId(), language: "none" };
  let error: string | undefined;
  await runs.startRun({ id: own.id, language: "none", engine: "none", code: "", client, via });
  try {
    const answer = await work({ ...actor, run: own });
    error = errorIn(answer);
    return answer;
  } catch (thrown) {
    error = messageOf(thrown);
    throw thrown;
  } finally {
    const status = error === undefined ? "ok" : "error";
    await runs.finishRun(own.id, { status, error, calls: 1, resultBytes: 0, stdoutBytes: 0 });
  }
}
