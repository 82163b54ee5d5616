/** The runs of this process that have not ended, so that others than their client can end them. */
export interface RunsUnderWay {
  /** Answers a signal that is aborted by `cancel`, or with the one given. */
  begin(run: string, signal?: AbortSignal): AbortSignal;
  end(run: string): void;
  /** False when no such run is under way here. */
  cancel(run: string): boolean;
}

export function createRunsUnderWay(): RunsUnderWay {
  const runs = new Map<string, AbortController>();
  return {
    begin(run, signal) {
      const controller = new AbortController();
      runs.set(run, controller);
      return signal ? AbortSignal.any([controller.signal, signal]) : controller.signal;
    },
    end(run) {
      runs.delete(run);
    },
    cancel(run) {
      const controller = runs.get(run);
      controller?.abort();
      return controller !== undefined;
    },
  };
}
