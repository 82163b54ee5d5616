import { messageOf } from "../errors.ts";
import { signalGroup } from "../system/process-group.ts";
import { type ProgramToStart, type RunningProgram, startProgram } from "../system/running-program.ts";
import { type Conversation, createConversation, createMessageReader, encodeMessage } from "./language-message.ts";

/** A program that knows a language, and answers questions about texts over its stdio. It ends with us. */
export interface LanguageProgram extends Pick<Conversation, "request" | "notify" | "hasEnded"> {
  /** When it runs, or has failed to: then with what `failure` makes of it. */
  readonly started: Promise<void>;
  /** Rejects when it has ended. */
  readonly ended: Promise<never>;
  end(): Promise<void>;
}

interface LanguageProgramOptions {
  readonly program: ProgramToStart;
  /** What the program asks us. */
  answer(method: string, params: unknown): unknown;
  /** What is thrown when it does not start, does not answer well, or has ended. */
  failure(words: string, cause?: unknown): Error;
}

export function startLanguageProgram({ program, answer, failure }: LanguageProgramOptions): LanguageProgram {
  let child: RunningProgram | undefined;
  const talk = createConversation({
    send(message) {
      if (child?.stdin.writable) child.stdin.write(encodeMessage(message));
    },
    answer: ({ method = "", params }) => answer(method, params),
    failure,
  });
  let tellEnd: (error: Error) => void = () => {};
  const ended = new Promise<never>((_resolve, reject) => {
    tellEnd = reject;
  });
  ended.catch(() => {}); // between two questions nobody waits for it
  const stop = (why: string): void => {
    talk.end(why);
    tellEnd(failure(why));
  };
  const end = async (): Promise<void> => {
    stop("was stopped");
    await started.catch(() => {}); // one that did not start has been reported
    if (!child) return;
    // It keeps nothing that it would have to save, and one that is busy would not hear a polite word.
    signalGroup(child.pid, "SIGKILL");
    await child.end();
  };
  const started = startProgram(program).then(
    (running) => {
      child = running;
      const read = createMessageReader(talk.receive);
      running.stdout.on("data", (chunk: Buffer) => {
        if (!talk.hasEnded && !read(chunk)) void end();
      });
      running.stdin.on("error", () => stop("closed its stdin"));
      running.ended.then(stop);
    },
    (thrown) => {
      throw failure(messageOf(thrown), thrown);
    },
  );
  started.catch(() => {}); // who asks it something is told
  return {
    request: talk.request,
    notify: talk.notify,
    get hasEnded() {
      return talk.hasEnded;
    },
    started,
    ended,
    end,
  };
}
