import type { OnProgress } from "../../actor.ts";
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

const askedAtATime = 4;

/** Asks servers for their tools, a few at a time, and tells of each answer. Failures are among the answers. */
export async function askServers(
  libraries: Refreshing,
  servers: readonly string[],
  onProgress?: OnProgress,
): Promise<ServerAnswer[]> {
  const answers = new Map<string, ServerAnswer>();
  const waiting = [...servers];
  if (waiting.length > 0) onProgress?.("asking servers for their tools", { done: 0, total: servers.length });
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const answer = await ask(libraries, next);
      answers.set(next, answer);
      const outcome = answer.listed ? `${answer.listed.library.tools.length} tools` : "failed";
      onProgress?.(`${next}: ${outcome}`, { done: answers.size, total: servers.length });
    }
  };
  await Promise.all(Array.from({ length: askedAtATime }, worker));
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
