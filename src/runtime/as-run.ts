import type { Journal } from "../store/journal.ts";
import { createRunId } from "./run-id.ts";

interface Asker {
  /** The run that asks; undefined where it is none. */
  readonly run?: string | undefined;
  readonly client?: string | undefined;
}

/** Does what reaches an upstream as a part of the run that asks for it, else as a run of its own: nothing passes unrecorded. */
export async function asRun<Answer>(
  journal: Journal,
  { run, client }: Asker,
  act: (run: string) => Promise<Answer>,
  errorIn: (answer: Answer) => string | undefined = () => undefined,
): Promise<Answer> {
  if (run !== undefined) return act(run);
  const own = createRunId();
  let error: string | undefined;
  journal.startRun({ id: own, language: "none", engine: "none", code: "", client });
  try {
    const answer = await act(own);
    error = errorIn(answer);
    return answer;
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown);
    throw thrown;
  } finally {
    const status = error === undefined ? "ok" : "error";
    journal.finishRun(own, { status, error, calls: 1, resultBytes: 0, stdoutBytes: 0 });
  }
}
