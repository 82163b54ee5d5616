import { keepRecent } from "../../system/keep-recent.ts";
import type { RunError } from "../results/run-result.ts";

/** What clients did wrong of late, so that who repeats a mistake is told more than the first time. */
export interface Mistakes {
  /** Whether the client had the same error in one of its last runs; remembers it. */
  isRepeated(client: string, error: RunError): boolean;
}

const mostClients = 200;
const mostOfOne = 5;
/** As much of an error as tells it from another. */
const mostCharacters = 1000;

export function createMistakes(): Mistakes {
  const known = new Map<string, readonly string[]>();
  return {
    isRepeated(client, { message, problems }) {
      // Whatever line it is on now.
      const mistake = (problems?.map((problem) => problem.message).join("\n") ?? message).slice(0, mostCharacters);
      const before = known.get(client) ?? [];
      keepRecent(known, client, [mistake, ...before.filter((one) => one !== mistake)].slice(0, mostOfOne), mostClients);
      return before.includes(mistake);
    },
  };
}
