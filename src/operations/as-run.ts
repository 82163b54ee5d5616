import { createRunId } from "../runtime/run-id.ts";
import type { Journal } from "../store/journal.ts";
import type { OperationContext } from "./operation.ts";

/** Does what reaches an upstream as a part of the run that asks for it, else as a run of its own: nothing passes unrecorded. */
export async function asRun<Answer>(
  journal: Journal,
  { run, client }: Pick<OperationContext, "run" | "client">,
  act: (run: string) => Promise<Answer>,
): Promise<Answer> {
  if (run !== undefined) return act(run);
  const own = createRunId();
  let failure: unknown;
  journal.startRun({ id: own, language: "none", engine: "none", code: "", client });
  try {
    return await act(own);
  } catch (thrown) {
    failure = thrown;
    throw thrown;
  } finally {
    const error = failure instanceof Error ? failure.message : undefined;
    const status = failure === undefined ? "ok" : "error";
    journal.finishRun(own, { status, error, calls: 1, resultBytes: 0, stdoutBytes: 0 });
  }
}
