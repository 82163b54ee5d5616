let before: Promise<unknown> = Promise.resolve();

/** One question at a time: two that read from one terminal would take each other's answers. */
export function inItsTurn<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const answered = before.then(ask);
  before = answered.catch(() => {});
  return answered;
}
