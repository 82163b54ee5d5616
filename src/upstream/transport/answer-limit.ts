import { NotSentError } from "./server-transport.ts";

const most = 32;

/** How long a server may take to accept an answer to a request of its own. */
export const answerPatienceMs = 10_000;

/**
 * Over HTTP each answer to a server's own request is a request from us. A server that asks without end and accepts no
 * answer would have ever more of them open: what is above the limit is not answered.
 */
export function createAnswerLimit(): (send: () => Promise<void>) => Promise<void> {
  let open = 0;
  return async (send) => {
    if (open >= most) throw new NotSentError();
    open++;
    try {
      await send();
    } finally {
      open--;
    }
  };
}
