/** How whoever asked for something leaves it: answered, while it goes on without them. */
export interface Departure<Answer> {
  /** Theirs, as long as they are there. */
  readonly signal: AbortSignal;
  readonly hasLeft: boolean;
  /** They are answered so; what becomes of their request means nothing from then on. */
  leave(answer: Answer | Promise<Answer>): void;
  /** Ends what goes on. */
  end(reason?: unknown): void;
  /** What they get: what came of it, or the answer that they left with. */
  first(outcome: Promise<Answer>): Promise<Answer>;
}

export function createDeparture<Answer>(asked: AbortSignal | undefined): Departure<Answer> {
  const controller = new AbortController();
  let depart: (answer: Answer | Promise<Answer>) => void = () => {};
  const left = new Promise<Answer>((resolve) => {
    depart = resolve;
  });
  let hasLeft = false;
  const follow = (): void => controller.abort(asked?.reason);
  if (asked?.aborted) follow();
  else asked?.addEventListener("abort", follow, { once: true });
  const detach = (): void => asked?.removeEventListener("abort", follow);
  return {
    signal: controller.signal,
    get hasLeft() {
      return hasLeft;
    },
    leave(answer) {
      hasLeft = true;
      detach();
      depart(answer);
    },
    end: (reason) => controller.abort(reason),
    first(outcome) {
      outcome.then(detach, detach);
      return Promise.race([outcome, left]);
    },
  };
}
