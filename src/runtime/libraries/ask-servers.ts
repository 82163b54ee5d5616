import type { OnProgress } from "../../actor.ts";
import { plural } from "../../system/plural.ts";
import { waitFor } from "../../system/wait-for.ts";
import type { KnownLibrary } from "./known-libraries.ts";

/** What came of asking one server: its tools, or what was thrown. */
export interface ServerAnswer {
  readonly server: string;
  readonly milliseconds: number;
  readonly listed?: KnownLibrary;
  readonly error?: unknown;
}

interface Refreshing {
  /** Asks the server again. */
  refresh(server: string): Promise<KnownLibrary>;
}

/** To start a server is work for this machine. */
const askedAtATime = 4;
/** One that has not answered by then waits for somebody else, or for ever: the next is asked beside it. */
const slowMs = 3000;
const mostUnderWay = 32;

/**
 * Asks servers for their tools, a few at a time, and tells of each answer. Failures are among the answers. Whoever needs one of
 * them sooner asks it at once: it is not asked twice.
 */
export async function askServers(
  libraries: Refreshing,
  servers: readonly string[],
  onProgress?: OnProgress,
): Promise<ServerAnswer[]> {
  const answers = new Map<string, ServerAnswer>();
  const waiting = [...servers];
  if (waiting.length > 0) onProgress?.("asking servers for their tools", { done: 0, total: servers.length });
  const underWay = new Set<Promise<void>>();
  const askOne = async (server: string): Promise<void> => {
    const answer = await ask(libraries, server);
    answers.set(server, answer);
    const outcome = answer.listed ? plural(answer.listed.library.tools.length, "tool") : "failed";
    onProgress?.(`${server}: ${outcome}`, { done: answers.size, total: servers.length });
  };
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      while (underWay.size >= mostUnderWay) await Promise.race(underWay);
      const asked = askOne(next).finally(() => underWay.delete(asked));
      underWay.add(asked);
      await waitFor(asked, slowMs);
    }
  };
  await Promise.all(Array.from({ length: askedAtATime }, worker));
  await Promise.all(underWay);
  return servers.flatMap((server) => answers.get(server) ?? []);
}

async function ask(libraries: Refreshing, server: string): Promise<ServerAnswer> {
  const started = performance.now();
  const milliseconds = () => Math.round(performance.now() - started);
  try {
    const listed = await libraries.refresh(server);
    return { server, milliseconds: milliseconds(), listed };
  } catch (error) {
    return { server, milliseconds: milliseconds(), error };
  }
}
